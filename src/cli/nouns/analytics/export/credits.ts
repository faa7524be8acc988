import { getLedger } from '../../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../../../contract/areas/analytics/names.ts';
import type { Answer, Query } from '../../../../contract/endpoint.ts';
import type { Days } from '../days.ts';
import { dayAfter } from '../ranges.ts';
import { type Dataset, isSettled, type Newest, type Reading, type Step } from './dataset.ts';

/** Where a run goes on, and what the next run must know. */
interface Resume {
  /** The window of days that is read, and the cursor in it; null for its first page. */
  readonly days: Days;
  readonly cursor: string | null;
  /** How many windows without a record were read last. */
  readonly emptyWindows: number;
  readonly newest: Newest;
}

const pageSize = 100;

/** How many windows without a record end an export of everything. */
const emptyWindowsMax = 2;

/** The ledger, each run the records that came since the last one, newest first. */
export const credits: Dataset = {
  columns: () => ['id', 'at', 'reason', 'credits', 'cost_usd', 'campaign_id', 'agent_id', 'message_id', 'is_adjustment'],
  isReplaced: false,
  read: readLedger,
};

async function* readLedger({ client, since, today, position, resume }: Reading): AsyncGenerator<Step> {
  const last = (position ?? { at: null, ids: [] }) as unknown as Newest;
  const known = new Set(last.ids);
  const first = last.at === null ? since : dayAfter(last.at.slice(0, 10), -1);
  let place = (resume as Resume | undefined) ?? {
    days: firstWindow(first, today),
    cursor: null,
    emptyWindows: 0,
    newest: { at: null, ids: [] },
  };
  for (;;) {
    const { days, cursor, newest } = place;
    const query: Partial<Query<typeof getLedger>> = { ...days, limit: pageSize, ...(cursor === null ? {} : { cursor }) };
    const { records, next_cursor: next, totals }: Answer<typeof getLedger> = await client.call(getLedger, { query });
    const rows = records.filter(({ id, at }) => !known.has(id) && !isSettled(at, last.at) && (since === null || at >= since));
    const isEmpty = cursor === null && records.length === 0;
    const empty = isEmpty ? place.emptyWindows + 1 : 0;
    const before = next === null ? windowBefore(days, first, empty) : days;
    const isLast = before === null || records.some(({ at }) => isSettled(at, last.at));
    place = { days: before ?? days, cursor: next, emptyWindows: empty, newest: withRecords(newest, records) };
    yield {
      rows,
      resume: { ...place },
      done: isLast ? endOf(last, place.newest) : null,
      ...(totals && { requests: Math.ceil(totals.records / pageSize) }),
    };
    if (isLast) return;
  }
}

/** The position after a run. Without a new record, it is that of the last run. */
function endOf(last: Newest, newest: Newest) {
  const { at, ids } = newest.at === null ? last : newest;
  return { at, ids };
}

/** What is known of the newest records after a page, which are read newest first. */
function withRecords({ at, ids }: Newest, records: Answer<typeof getLedger>['records']): Newest {
  const first = at ?? records[0]?.at ?? null;
  return { at: first, ids: [...ids, ...records.filter((record) => !isSettled(record.at, first)).map(({ id }) => id)] };
}

/** The days to read first: the last of them that fit in a request. @param first the first of all days; null for everything */
function firstWindow(first: string | null, today: string): Days {
  if (first !== null && first > today) return { from: today, to: today };
  return windowTo(today, first);
}

/** The days before a window; null when nothing is left to read. */
function windowBefore({ from }: Days, first: string | null, emptyWindows: number): Days | null {
  if (first === null ? emptyWindows >= emptyWindowsMax : from <= first) return null;
  return windowTo(dayAfter(from, -1), first);
}

/** As many days as fit in a request, up to a last one. */
function windowTo(to: string, first: string | null): Days {
  const earliest = dayAfter(to, 1 - rangeCaps.ledger);
  return { from: first !== null && first > earliest ? first : earliest, to };
}
