import { type ChangeResult, isOpen } from '../../account-as-code/run/execute.ts';
import { kinds } from '../../account-as-code/kinds.ts';
import type { Plan } from '../../account-as-code/plan/plan.ts';
import { planDocument } from '../../account-as-code/plan/plan-file.ts';
import { shownChange } from '../../account-as-code/plan/shown.ts';
import { planText } from '../../account-as-code/plan/text.ts';
import type { Session } from '../verb/noun.ts';
import type { ExitCode } from '../errors.ts';
import { foldText, type Ruler, rulerFor } from '../output/fold.ts';
import { penFor } from '../output/pen.ts';
import { type Result, type ResultRow, wholeList } from '../output/result.ts';
import { screenOf } from '../output/screen.ts';
import { messageLine } from '../output/cell.ts';
import { shownKey } from './plan-key.ts';

export const planColumns = ['number', 'action', 'kind', 'key', 'undo'] as const;

/** A plan as text for a terminal. */
export async function planForPeople(plan: Plan, { world }: Session, stream: 'stdout' | 'stderr'): Promise<string> {
  const screen = screenOf(world[stream], world);
  const pen = await penFor(screen);
  const ruler = await rulerFor([planText(plan, (line) => line)]);
  return planText(plan, (line, style) => {
    const lines = hangingLines(messageLine(line), screen.columns ?? Infinity, ruler);
    return lines.map((text) => (style === undefined ? text : pen(text, style))).join('\n');
  });
}

/** A line folded at spaces to the width of the screen. What follows stands below the text, which begins after blanks and a sign. */
function hangingLines(line: string, width: number, ruler: Ruler): string[] {
  if (ruler(line) <= width) return [line];
  const lead = /^\s*(?:[-+~!] )?/.exec(line)?.[0] ?? '';
  const [first = '', ...more] = foldText(line.slice(lead.length), Math.max(1, width - lead.length), ruler);
  return [lead + first, ...more.map((text) => ' '.repeat(lead.length) + text)];
}

/**
 * The result of a command that made a plan: text for tables, the plan as a single document for JSON and YAML, and otherwise one
 * row for each change. Secrets are masked.
 */
export async function planResult(
  plan: Plan,
  session: Session,
  exitCode: ExitCode,
  done?: { results: readonly ChangeResult[]; run: string | null },
): Promise<Result> {
  const { output, fields } = session.globals;
  const outcomes = outcomesOf(done?.results ?? []);
  const isDocument = output === 'json' || output === 'yaml';
  const key = shownKey(session);
  if (output === 'table' && fields === undefined) {
    const text = done ? outcomeText(done.results) : await planForPeople(plan, session, 'stdout');
    const record = planDocument(plan, key);
    return { kind: 'record', answer: record, record, text, exitCode };
  }
  if (!isDocument)
    for (const { kind, key, reason } of plan.blocked) session.notes.always(`Blocked: ${kinds[kind].noun} ${key}: ${reason}.`);
  const { changes, ...rest } = planDocument(plan, key) as ResultRow & { changes: readonly ResultRow[] };
  const rows = isDocument ? changes : plan.changes.map(shownChange);
  const list = wholeList(
    'changes',
    rows.map((row) => ({ ...row, ...outcomes.get(row.number as number) })),
  );
  return {
    ...list,
    columns: done ? [...planColumns, 'result'] : planColumns,
    totals: () => ({ ...rest, ...(done && { run: done.run }) }),
    exitCode,
  };
}

/** The results of changes for output, by the number of the change. */
export function outcomesOf(results: readonly ChangeResult[]) {
  return new Map(results.map(({ change, result, reason }) => [change.number, { result, ...(reason !== undefined && { reason }) }]));
}

const words = { done: 'done', already: 'already so', conflict: 'in conflict', skipped: 'skipped', failed: 'failed' } as const;

/** One line for each change that was not made. */
export function openLines(results: readonly ChangeResult[]): string[] {
  return results
    .filter(isOpen)
    .map(({ change, result, reason }) =>
      messageLine(`! ${kinds[change.kind].noun} ${change.key}: ${words[result]}${reason === undefined ? '' : `: ${reason}`}`),
    );
}

/** A summary of the results of a plan, followed by the changes that were not made. */
function outcomeText(results: readonly ChangeResult[]): string {
  const count = (word: keyof typeof words) => results.filter(({ result }) => result === word).length;
  const found = (Object.keys(words) as (keyof typeof words)[]).filter((word) => count(word) > 0);
  const counts = found.map((word) => `${count(word)} ${words[word]}`);
  return [...openLines(results), `${counts.join(', ') || 'Nothing to change'}.`].map((line) => `${line}\n`).join('');
}
