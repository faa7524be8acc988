import type { CallInput } from '../../../contract/call.ts';
import { getLedger } from '../../../contract/areas/analytics/endpoints.ts';
import type { Answer, Endpoint } from '../../../contract/endpoint.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { dayAfter } from '../../figures/ranges.ts';
import { windowBefore, windowTo } from '../../figures/ledger-windows.ts';
import type { Days } from '../../verb/days.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Reading, Step } from './dataset.ts';

/**
 * How long before the last run records can have been committed that it did not see, in milliseconds: a transaction can wait some
 * seconds for its account.
 */
const overlap = 600_000;

/** For how many days records still change: the status of a message, the end of a conversation. */
const changeDays = 30;

/** When a run began to read, as ISO 8601. A run that continues keeps the time at which it began. */
function beganAt({ resume, now }: Reading): string {
  return (resume?.at as string | undefined) ?? new Date(now).toISOString();
}

/** When the last run began to read, in epoch milliseconds; null for the first run. */
function lastBegan({ position }: Reading): number | null {
  return position === undefined ? null : Date.parse(position.at as string);
}

/** The later one of the first day and an instant. */
export function notBefore(since: string | null, at: number): string {
  const instant = new Date(at).toISOString();
  return since !== null && since > instant ? since : instant;
}

/** From when on the last run can have missed records, as ISO 8601; the first day for the first run. */
export function newsFrom(reading: Reading): string | null {
  const began = lastBegan(reading);
  return began === null ? reading.since : notBefore(reading.since, began - overlap);
}

/** From when on records can have changed since the last run, as ISO 8601; the first day for the first run. */
export function changesFrom(reading: Reading): string | null {
  const began = lastBegan(reading);
  return began === null ? reading.since : notBefore(reading.since, began - changeDays * dayLength);
}

/** The day from which on figures can have changed since the last run. @param first the first day of the first run */
export function figuresFrom(reading: Reading, first: string): string {
  const began = lastBegan(reading);
  const changed = began === null ? first : dayAfter(new Date(began).toISOString().slice(0, 10), -changeDays);
  return changed > first ? changed : first;
}

/** Reads a list page by page. */
export async function* readList<E extends Endpoint>(endpoint: E, query: object, reading: Reading): AsyncGenerator<Step> {
  const at = beganAt(reading);
  const cursor = reading.resume?.cursor as string | undefined;
  const input = { query: { ...query, ...(cursor !== undefined && { cursor }) } } as unknown as CallInput<E>;
  for await (const { rows, next_cursor: next } of reading.client.pages(endpoint, input))
    yield { rows: rows, resume: { cursor: next, at }, done: next === null ? { at } : null };
}

/** Where the ledger is read on. */
interface LedgerPlace {
  readonly days: Days;
  readonly cursor: string | null;
  readonly at: string;
}

/** Reads the ledger, newest first, down to what the last run has read. */
export async function* readLedger(reading: Reading): AsyncGenerator<Step> {
  const { client, position, resume, now } = reading;
  const until = position === undefined ? null : newsFrom(reading);
  const first = until?.slice(0, 10) ?? reading.since ?? (await reading.firstDay('earliest'));
  const today = new Date(now).toISOString().slice(0, 10);
  let place = (resume as unknown as LedgerPlace | undefined) ?? { days: windowTo(today, first), cursor: null, at: beganAt(reading) };
  for (;;) {
    const { days, cursor, at } = place;
    const query = { ...days, limit: 100, ...(cursor !== null && { cursor }) };
    const { records, next_cursor: next }: Answer<typeof getLedger> = await client.call(getLedger, { query });
    const isBack = until !== null && records.some((record) => record.at < until);
    const before = next === null ? windowBefore(days, first) : days;
    const isLast = before === null || isBack;
    place = { days: before ?? days, cursor: next, at };
    yield { rows: records, resume: { ...place }, done: isLast ? { at } : null };
    if (isLast) return;
  }
}

/** Reads what is not divided into pages. */
export async function* readAtOnce(rows: Promise<readonly ResultRow[]>, reading: Reading): AsyncGenerator<Step> {
  const at = beganAt(reading);
  yield { rows: await rows, resume: {}, done: { at } };
}
