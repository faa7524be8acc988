import { terminalText } from '../../output/cell.ts';
import { type Marks, marksOf } from '../../output/marks.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { localTime } from '../../output/times.ts';
import type { CheckRow } from './checks.ts';
import { wrapped } from '../../output/wrap.ts';

/** A check, with its account if there are several. */
type Named = CheckRow & { readonly sub_account_id?: string | null; readonly sub_account?: string | null };

/** The subjects of checks, for the line with those that passed. */
const subjects: Readonly<Record<string, string>> = {
  switch: 'turned on',
  name: 'host name',
  delivery: 'test delivery',
  signing: 'signature',
};

/** The order of checks: causes come before their effects. */
const order = ['name', 'certificate', 'delivery', 'auto-disable', 'sub-accounts', 'missed', 'health'];

/** The findings about webhooks as text. For each webhook, failures come first, then warnings, then passed checks. */
export async function sentences(rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const marks = await marksOf(screen);
  const groups = Object.values(
    Object.groupBy(rows as unknown as Named[], ({ sub_account_id: account, webhook }) => JSON.stringify([account, webhook])),
  );
  // With several accounts, the findings for another account can follow.
  const isPart = (rows as unknown as Named[]).some(({ sub_account_id: account }) => account !== undefined);
  const text = groups.map((group = []) => groupText(group, marks, screen)).join('\n\n');
  return text === '' ? '' : `${text}\n${isPart ? '\n' : ''}`;
}

function groupText(checks: readonly Named[], marks: Marks, screen: Screen): string {
  const [first] = checks;
  const account =
    first?.sub_account_id === undefined
      ? ''
      : `${first.sub_account_id === null ? 'Your own account' : (first.sub_account ?? first.sub_account_id)}: `;
  if (first?.webhook === null) return account + first.finding;
  const sorted = checks.toSorted((a, b) => rankOf(a) - rankOf(b));
  const of = (status: Named['status']) => sorted.filter((check) => check.status === status);
  const passed = of('ok').map(({ check }) => subjects[check] ?? check);
  return [
    marks.bold(terminalText(`${account}${first?.webhook}  ${first?.url}`)),
    ...[...of('failed'), ...of('warning')].map((check) => findingText(check, marks, screen)),
    ...(passed.length > 0 ? [paragraph(`Passed: ${passed.join(', ')}.`, '', screen)] : []),
  ].join('\n\n');
}

function rankOf({ check }: Named): number {
  const rank = order.indexOf(check);
  return rank < 0 ? order.length : rank;
}

/** A finding, with the remedy on a separate line so that it can be copied. */
function findingText(check: Named, marks: Marks, screen: Screen): string {
  const { finding, fix, fixed, left_out: leftOut, status } = check;
  const isCommand = fix?.startsWith('msgctl ') ?? false;
  const text = withLocalTimes(isCommand || fix === null ? finding : `${finding} ${fix}`, screen);
  if (fixed) return `${marks.paint(`${marks.done} ${paragraph(`Fixed: ${text}`, '  ', screen)}`)}\n  Done: ${terminalText(fix)}`;
  const mark = status === 'failed' ? marks.failed : marks.warning;
  const why = leftOut ? `\n${paragraph(`Not run: ${leftOut}.`, '', screen)}` : '';
  return marks.paint(`${mark} ${paragraph(text, '  ', screen)}`) + (isCommand ? `\n${terminalText(fix)}` : '') + why;
}

/** Wraps text to the width of the window and indents further lines. */
function paragraph(text: string, indent: string, { columns }: Screen): string {
  const line = terminalText(text);
  return columns === null ? line : wrapped(line, columns - 2).replaceAll('\n', `\n${indent}`);
}

/** On a terminal, timestamps are shown in the user's time zone. */
function withLocalTimes(text: string, { columns, timeZone }: Screen): string {
  return columns === null ? text : text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => localTime(Date.parse(at), timeZone));
}
