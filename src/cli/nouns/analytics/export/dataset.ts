import type { Client } from '../../../../client/client.ts';
import type { Row } from '../../../output/result.ts';
import type { FirstDays } from '../account.ts';

/** How far a dataset was exported, as JSON. */
export type Position = Row;

/** Some rows, in the order in which they stand in the file. */
export interface Step {
  readonly rows: readonly Row[];
  /** Where a run that ends here goes on, as JSON. */
  readonly resume: Row;
  /** How far the dataset is exported with these rows; null when more rows follow. */
  readonly done: Position | null;
  /** How many requests follow at most, when that is known. */
  readonly requestsLeft?: number;
}

/** What a run reads. */
export interface Reading {
  readonly client: Client;
  /** The first day of the first run, as YYYY-MM-DD; null for everything, where no first day is needed. */
  readonly since: string | null;
  /** Today, in UTC. */
  readonly today: string;
  /** How far the last run came; undefined for the first run. */
  readonly position: Position | undefined;
  /** Where an earlier attempt of this run stopped. */
  readonly resume: Row | undefined;
  /** The query of a series. */
  readonly query: Row;
}

/** A dataset that can be exported. */
export interface Dataset {
  readonly columns: (query: Row) => readonly string[];
  /** Whether each run writes all rows anew, because earlier ones may have changed. */
  readonly isReplaced: boolean;
  /** The first day of its first request; null when its requests name none. */
  readonly begins: keyof FirstDays | null;
  readonly read: (reading: Reading) => AsyncGenerator<Step>;
}

/**
 * How long before the last record others may still be committed, in milliseconds: a transaction waits some seconds for its
 * account. What was seen of this time is known by its ids, which bounds the checkpoint.
 */
const overlap = 600_000;

/** The records at the end of an export, so that the next one neither repeats nor misses any. */
export interface Newest {
  /** When the newest record was made; null before the first one. */
  readonly at: string | null;
  /** The records of the time before it that is not settled. */
  readonly ids: readonly string[];
}

/** Whether a record is older than all that may still have come after an export. */
export function isSettled(at: string, newest: string | null): boolean {
  return newest !== null && Date.parse(at) < Date.parse(newest) - overlap;
}

/** Before anything was read. */
export const noneYet: Newest = { at: null, ids: [] };

/** What is known of the newest records after a page, which are read newest first. */
export function withNewest({ at, ids }: Newest, page: readonly { readonly id: string; readonly at: string }[]): Newest {
  const first = at ?? page[0]?.at ?? null;
  return { at: first, ids: [...ids, ...page.filter((record) => !isSettled(record.at, first)).map(({ id }) => id)] };
}

/** The newest records after a run. Without newer ones, those of the last run stay known: some of them may be deleted. */
export function endOf(last: Newest, { at, ids }: Newest): Newest {
  if (last.at === null || (at !== null && at > last.at)) return { at, ids };
  return { at: last.at, ids: [...new Set([...last.ids, ...ids])] };
}
