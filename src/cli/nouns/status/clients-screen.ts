import { counted, digits } from '../../../contract/text/counted.ts';
import { terminalText } from '../../output/cell.ts';
import { cutText, foldText, type Ruler, rulerFor } from '../../output/fold.ts';
import { marksOf } from '../../output/marks.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import type { ClientRow } from './clients.ts';

/** A column of counts, under the heading of its group. */
interface Column {
  readonly group: string;
  readonly label: string;
  readonly value: (row: ClientRow) => number | null;
}

const balance: Column = { group: '', label: 'CREDITS', value: (row) => row.balance };

/** In the order of their urgency: a narrow terminal hides the last ones. */
const counts: readonly Column[] = [
  { group: 'CHANNELS', label: 'disconnected', value: (row) => row.channels?.disconnected ?? null },
  { group: 'WEBHOOKS', label: 'disabled', value: (row) => row.webhooks?.disabled ?? null },
  { group: 'WEBHOOKS', label: 'failing', value: (row) => row.webhooks?.failing ?? null },
  { group: 'ALERTS', label: 'open', value: (row) => row.alerts_open },
  { group: 'KEYS', label: 'expiring', value: (row) => row.keys_expiring },
  { group: 'IMPORTS', label: 'failed', value: (row) => row.imports_failed },
  { group: 'ERRORS', label: '24 h', value: (row) => row.errors_24h },
];

const gap = 2;

/** The narrowest column of names, mark included. */
const namesMin = 12;

/** The width for text that is not shown on a terminal. */
const usualWidth = 100;

/** Accounts as a table of those that need attention, the worst first, and a line for those that are well. */
export async function clientsText(rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const all = rows as unknown as readonly ClientRow[];
  const names = new Map(all.map((row) => [row, terminalText(row.sub_account ?? row.sub_account_id ?? 'own')]));
  const ruler = await rulerFor(names.values());
  const marks = await marksOf(screen);
  const troubled = all.filter(({ severity }) => severity !== 'ok');
  const well = all.filter(({ severity }) => severity === 'ok');
  const width = screen.wide ? Infinity : (screen.columns ?? usualWidth);
  const longest = Math.max(namesMin, ...troubled.map((row) => ruler(names.get(row) ?? '') + 2));
  const { columns, hidden } = fitting(troubled, width - namesMin);
  const widths = columns.map((column, index) => widthOf(column, columns[index - 1], troubled));
  const room = width - widths.reduce((sum, each) => sum + each + gap, 0);
  const nameWidth = Math.max(namesMin, Math.min(longest, room));
  const line = (name: string, cells: readonly string[]) =>
    [name + ' '.repeat(Math.max(0, nameWidth - ruler(name))), ...cells.map((cell, index) => cell.padStart(widths[index] ?? 0))]
      .join(' '.repeat(gap))
      .trimEnd();
  const groups = columns.map(({ group }, index) => (group === columns[index - 1]?.group ? '' : group));
  const labels = columns.map(({ label }) => label);
  const table = troubled.map((row) => {
    const name = cutText(names.get(row) ?? '', nameWidth - 2, ruler, screen.unicode ? '…' : '~');
    const cells = columns.map((column) => cellOf(column, row));
    return marks.paint(line(`${row.severity === 'error' ? marks.failed : marks.warning} ${name}`, cells));
  });
  const headings = [...(groups.some((group) => group !== '') ? [line('', groups)] : []), line('ACCOUNT', labels)];
  const head = troubled.length === 0 ? [] : headings.map(marks.bold);
  const wellNames = well.map((row) => names.get(row) ?? '');
  const rest = wellNames.length === 0 ? [] : [restLine(wellNames, troubled.length > 0, width, ruler)];
  const notes = hidden === 0 ? [] : [`${counted(hidden, 'column')} hidden: -o csv has all of them.`];
  const folded = [...rest, ...notes].flatMap((each) => (width === Infinity ? [each] : foldText(each, width, ruler)));
  return [...head, ...table, ...(table.length > 0 && folded.length > 0 ? [''] : []), ...folded].map((each) => `${each}\n`).join('');
}

/** Counts the accounts that are well, and names as many as fit into a line. */
function restLine(names: readonly string[], hasTroubled: boolean, width: number, ruler: Ruler): string {
  const count = names.length;
  const who = !hasTroubled
    ? `All ${digits(count)} are well`
    : count === 1
      ? 'The other one is well'
      : `The other ${digits(count)} are well`;
  const naming = (named: number) =>
    `${who}: ${names.slice(0, named).join(', ')}${named < count ? ` and ${digits(count - named)} more` : ''}.`;
  let named = count;
  while (named > 1 && ruler(naming(named)) > width) named--;
  return naming(named);
}

/** The columns that have something to say, as far as they fit into a width. */
function fitting(rows: readonly ClientRow[], width: number): { columns: readonly Column[]; hidden: number } {
  const telling = [balance, ...counts.filter(({ value }) => rows.some((row) => (value(row) ?? 0) > 0))];
  let used = 0;
  const fits = telling.filter((column, index) => (used += gap + widthOf(column, telling[index - 1], rows)) <= width);
  return { columns: fits, hidden: telling.length - fits.length };
}

function widthOf(column: Column, before: Column | undefined, rows: readonly ClientRow[]): number {
  const { group, label } = column;
  const heading = group === before?.group ? 0 : group.length;
  return Math.max(heading, label.length, ...rows.map((row) => cellOf(column, row).length));
}

/** A count. None is a dash, so that what is wrong stands out; nothing is what is not known. */
function cellOf({ group, value }: Column, row: ClientRow): string {
  const count = value(row);
  return count === null ? '' : count === 0 && group !== '' ? '-' : digits(count);
}
