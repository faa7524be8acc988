import type { Client } from '../../../../client/client.ts';
import { getLedger } from '../../../../contract/areas/analytics/endpoints.ts';
import { rangeCaps } from '../../../../contract/areas/analytics/names.ts';
import type { Answer, Query } from '../../../../contract/endpoint.ts';
import type { Days } from '../days.ts';
import { counted } from '../../../../contract/counted.ts';
import { CliError, exitCodes } from '../../../errors.ts';
import { dayAfter } from '../ranges.ts';
import { type Dataset, endOf, isSettled, type Newest, noneYet, type Reading, type Step, withNewest } from './dataset.ts';
import { type RecordCount, settledBy, withRecords } from './record-count.ts';

/** How far the ledger has been exported. */
interface Exported extends Newest {
  /** Checkpoints of earlier versions lack it. */
  readonly count?: RecordCount;
}

/** The state from which a run continues. */
interface Resume {
  /** The range of days being read, and the cursor in it; null for its first page. */
  readonly days: Days;
  readonly cursor: string | null;
  /** Maximum number of requests left; null before the first one. */
  readonly requestsLeft: number | null;
  readonly newest: Newest;
  readonly count?: RecordCount;
}

const pageSize = 100;

/**
 * The credit ledger. Each run exports the records since the previous run, newest first, and compares how many there are with how
 * many were exported.
 */
export const credits: Dataset = {
  columns: () => ['id', 'at', 'reason', 'credits', 'cost_usd', 'campaign_id', 'agent_id', 'message_id', 'is_adjustment'],
  isReplaced: false,
  begins: 'earliest',
  read: readLedger,
};

async function* readLedger(reading: Reading): AsyncGenerator<Step> {
  const { client, since, today, position, resume } = reading;
  const last = (position ?? noneYet) as unknown as Exported;
  const known = new Set(last.ids);
  const first = last.at === null ? (since ?? today) : dayAfter(last.at.slice(0, 10), -1);
  const begun: Resume = { days: windowTo(today, first), cursor: null, requestsLeft: null, newest: noneYet, count: countAfter(last, today) };
  let place = (resume as Resume | undefined) ?? begun;
  for (;;) {
    const { days, cursor, newest, count } = place;
    const query: Partial<Query<typeof getLedger>> = { ...days, limit: pageSize, ...(cursor === null ? {} : { cursor }) };
    const { records, next_cursor: next, totals }: Answer<typeof getLedger> = await client.call(getLedger, { query });
    const rows = records.filter(({ id, at }) => !known.has(id) && !isSettled(at, last.at) && (since === null || at >= since));
    const before = next === null ? windowBefore(days, first) : days;
    const isLast = before === null || records.some(({ at }) => isSettled(at, last.at));
    const requestsLeft = place.requestsLeft ?? requestsFor(totals) + (await requestsBefore(client, days, first));
    place = {
      days: before ?? days,
      cursor: next,
      requestsLeft: Math.max(0, requestsLeft - 1),
      newest: withNewest(newest, records),
      ...(count && { count: withRecords(count, rows) }),
    };
    const done = isLast ? { ...endOf(last, place.newest), ...(place.count && { count: await verify(place.count, reading) }) } : null;
    yield { rows, resume: { ...place }, done, requestsLeft: place.requestsLeft ?? 0 };
    if (isLast) return;
  }
}

/** The count with which a run begins. The last two days are not settled: transactions that began on them may not be over. */
function countAfter({ at, count }: Exported, today: string): RecordCount {
  return settledBy(count ?? { records: at === null ? 0 : null, later: {} }, dayAfter(today, -2));
}

/**
 * Checks that the ledger has no more settled records than were exported. The first run has just read all of them.
 * @returns the count with the number of settled records that the ledger has
 * @throws CliError 6 if it has more, unless the export goes on without them
 */
async function verify(count: RecordCount, { client, since, position, goesOnWithout }: Reading): Promise<RecordCount> {
  if (!position) return count;
  const { settled, records } = count;
  let found = 0;
  for (
    let window = since !== null && since <= settled ? windowTo(settled, since) : null;
    window;
    window = windowBefore(window, since ?? settled)
  )
    found += (await client.call(getLedger, { query: { ...window, limit: 1 } })).totals?.records ?? 0;
  const missing = found - (records ?? found);
  if (missing > 0 && !goesOnWithout)
    throw new CliError(exitCodes.conflict, 'conflict', `The ledger has ${counted(missing, 'record')} that earlier exports did not find`, {
      hint:
        `They were added later, dated ${settled} or before, as \`sandbox demo\` does. ` +
        'Export everything again with a new checkpoint and a new file, or add --yes to go on without them.',
    });
  return { ...count, records: found };
}

/** Number of pages of a ledger. @param totals the totals on the first page */
function requestsFor(totals: Answer<typeof getLedger>['totals']): number {
  return Math.max(1, Math.ceil((totals?.records ?? 0) / pageSize));
}

/** Number of requests for the ranges before a range. */
async function requestsBefore(client: Client, days: Days, first: string): Promise<number> {
  let requests = 0;
  for (let window = windowBefore(days, first); window; window = windowBefore(window, first))
    requests += requestsFor((await client.call(getLedger, { query: { ...window, limit: 1 } })).totals);
  return requests;
}

/** The range of days before another; null if nothing is left to read. */
function windowBefore({ from }: Days, first: string): Days | null {
  return from <= first ? null : windowTo(dayAfter(from, -1), first);
}

/** The longest range for one request that ends on a given day. */
function windowTo(to: string, first: string): Days {
  const earliest = dayAfter(to, 1 - rangeCaps.ledger);
  const from = first > earliest ? first : earliest;
  return { from: from > to ? to : from, to };
}
