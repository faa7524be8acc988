import { type ChangeResult, isOpen } from '../../account-as-code/run/execute.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';
import { planDocument } from '../../account-as-code/plan/plan-file.ts';
import { shownChange } from '../../account-as-code/plan/shown.ts';
import { summary } from '../../account-as-code/plan/text.ts';
import { stableText } from '../../account-as-code/values.ts';
import type { Session } from '../verb/noun.ts';
import type { ExitCode } from '../errors.ts';
import { messageLine } from '../output/cell.ts';
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
    const text = run === undefined ? await mergedText(session, planned) : outcomesText(planned, results);
    return { kind: 'record', answer: record, record, text, exitCode };
  }
  return { ...wholeList('changes', rows), columns: ['sub_account_id', 'sub_account', ...planColumns], exitCode };
}

/** Shows identical plans only once, with the number of their accounts. */
export async function mergedText(session: Session, planned: readonly PlannedAccount[]): Promise<string> {
  const alike = Map.groupBy(planned, ({ plan }) =>
    stableText([plan.changes.map(({ id: _, ...change }) => shownChange({ ...change, id: null })), plan.blocked, plan.kept]),
  );
  const parts: string[] = [];
  for (const [, group] of alike) {
    const [first] = group;
    if (!first) continue;
    const names = group.map(({ name }) => messageLine(name));
    const title = group.length === 1 ? (names[0] ?? '') : `${group.length} accounts: ${names.join(', ')}`;
    parts.push(`== ${title}\n\n${await planForPeople(first.plan, session, 'stdout')}`);
  }
  return parts.join('\n');
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
