import { type ChangeResult, isOpen } from '../../account-as-code/run/execute.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';
import { planDocument } from '../../account-as-code/plan/plan-file.ts';
import { shownChange } from '../../account-as-code/plan/shown.ts';
import { summary } from '../../account-as-code/plan/text.ts';
import { stableText } from '../../account-as-code/values.ts';
import { mostNamed, sentenceOf, someOf } from '../../contract/text/some-of.ts';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { Session } from '../verb/noun.ts';
import type { ExitCode } from '../errors.ts';
import { messageLine } from '../output/cell.ts';
import { screenOf } from '../output/screen.ts';
import { wrapped } from '../output/wrap.ts';
import { type Result, wholeList } from '../output/result.ts';
import { openLines, outcomesOf, planColumns, planForPeople } from './result.ts';
import type { PlannedAccount } from './account-clients.ts';
import { shownKey } from './plan-key.ts';

/** The results for several accounts, or only their plans if nothing was applied. @param results by account id */
export async function accountsResult(
  session: Session,
  planned: readonly PlannedAccount[],
  exitCode: ExitCode,
  results: ReadonlyMap<string, readonly ChangeResult[]>,
  run?: string,
): Promise<Result> {
  const { output, fields } = session.globals;
  const outcomes = ({ account }: Plan) => outcomesOf(results.get(account) ?? []);
  const rows = planned.flatMap(({ plan, name }) => {
    const own = outcomes(plan);
    return plan.changes.map((change) => ({
      sub_account_id: plan.account,
      sub_account: name,
      ...shownChange(change),
      ...own.get(change.number),
    }));
  });
  const key = shownKey(session);
  const plans = planned.map(({ plan }) => {
    const own = outcomes(plan);
    const document = planDocument(plan, key) as { changes: readonly { number: number }[] };
    return { ...document, changes: document.changes.map((change) => ({ ...change, ...own.get(change.number) })) };
  });
  const record = { plans, ...(run !== undefined && { run }) };
  if (output === 'json' || output === 'yaml') return { kind: 'value', value: record, exitCode };
  if (output === 'table' && fields === undefined) {
    const text = run === undefined ? await mergedText(session, planned, 'stdout') : outcomesText(planned, results);
    return { kind: 'record', answer: record, record, text, exitCode };
  }
  return { ...wholeList('changes', rows), columns: ['sub_account_id', 'sub_account', ...planColumns], exitCode };
}

/** Shows identical plans only once, with the number of their accounts, and each note once. */
export async function mergedText(session: Session, planned: readonly PlannedAccount[], stream: 'stdout' | 'stderr'): Promise<string> {
  const alike = Map.groupBy(planned, ({ plan: { changes, blocked, answers, kept, deletions } }) =>
    stableText([changes.map((change) => shownChange({ ...change, id: null })), blocked, answers, kept, deletions]),
  );
  const parts: string[] = [];
  for (const [, group] of alike) {
    const [first] = group;
    if (!first) continue;
    const names = group.map(({ name }) => messageLine(name));
    const title = group.length === 1 ? (names[0] ?? '') : headingOf(names, planned.length);
    const { columns } = screenOf(session.world[stream], session.world);
    parts.push(
      `${columns === null ? `== ${title}` : wrapped(`== ${title}`, columns)}\n\n${await planForPeople({ ...first.plan, notes: [] }, session, stream)}`,
    );
  }
  const notes = mergedNotes(planned);
  if (notes.length > 0) parts.push(['Notes:', ...notes].map((line) => `${messageLine(line)}\n`).join(''));
  return parts.join('\n');
}

/** The heading of a plan that several accounts share. All of them need no names, because the command has named them. */
function headingOf(names: readonly string[], all: number): string {
  const count = `${names.length} accounts`;
  return names.length === all && names.length > mostNamed ? count : `${count}: ${sentenceOf(names.toSorted(compareTexts))}`;
}

/** The notes of all plans, each once. One that not all of them have names the accounts. */
function mergedNotes(planned: readonly PlannedAccount[]): string[] {
  const notes = planned.flatMap(({ name, plan }) => plan.notes.map((note) => ({ note, name })));
  return [...Map.groupBy(notes, ({ note }) => note)].map(([note, own]) => {
    const names = own.map(({ name }) => name);
    return `  ${names.length === planned.length ? '' : `${someOf(names)}: `}${note}`;
  });
}

function outcomesText(planned: readonly PlannedAccount[], results: ReadonlyMap<string, readonly ChangeResult[]>): string {
  return planned
    .map(({ name, plan }) => {
      const own = results.get(plan.account);
      const shown = messageLine(name);
      if (!own) return `${shown}: ${plan.changes.length === 0 ? summary(plan) : 'not started.'}\n`;
      const done = own.filter((each) => !isOpen(each)).length;
      const lines = openLines(own).map((line) => `  ${line}\n`);
      return `${shown}: ${done} of ${own.length} done.\n${lines.join('')}`;
    })
    .join('');
}
