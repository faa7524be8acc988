import type { Client } from '../../../../client/client.ts';
import type { ResultRow } from '../../../output/result.ts';
import type { FirstDays } from '../../../figures/first-days.ts';

/** How far a dataset has been exported, as JSON. */
export type Position = ResultRow;

/** Some rows, in the order in which they are written to the file. */
export interface ExportStep {
  readonly rows: readonly ResultRow[];
  /** The state from which an interrupted run continues, as JSON. */
  readonly resume: ResultRow;
  /** The position of the dataset after these rows; null if more rows follow. */
  readonly done: Position | null;
  /** Maximum number of requests left, if known. */
  readonly requestsLeft?: number;
  /** What a reader of the rows must know, with the last step. */
  readonly caveats?: Caveats;
  /** Warnings for the user. */
  readonly warnings?: readonly string[];
}

/** What a reader of exported records must know, for the manifest. */
export interface Caveats {
  /** How many records the account has that no run exported, because `--accept-missing` allowed that. */
  readonly missing_records: number;
  /** Whether costs are 0 in some records because they were hidden. */
  readonly costs_redacted: boolean;
}

/** The caveats of a file to which a run adds rows. */
export function addedUp(earlier: Caveats | undefined, added: Caveats): Caveats {
  return {
    missing_records: (earlier?.missing_records ?? 0) + added.missing_records,
    costs_redacted: (earlier?.costs_redacted ?? false) || added.costs_redacted,
  };
}

/** The input of a run. */
export interface Reading {
  readonly client: Client;
  /** The first day of the first run, as YYYY-MM-DD; null for everything, if the run needs no first day. */
  readonly since: string | null;
  /** Today in UTC. */
  readonly today: string;
  /** The position after the previous run; undefined for the first run. */
  readonly position: Position | undefined;
  /** The state from which to continue if an earlier attempt of this run was interrupted. */
  readonly resume: ResultRow | undefined;
  /** Whether to go on without records that earlier runs should have exported. */
  readonly acceptsMissing: boolean;
  /** The query of a time series. */
  readonly query: ResultRow;
}

/** A dataset that can be exported. */
export interface Dataset {
  readonly columns: (query: ResultRow) => readonly string[];
  /** Whether each run writes all rows from scratch, because earlier ones may have changed. */
  readonly isReplaced: boolean;
  /** Which first day of an account a run without `--since` needs; null if it needs none. */
  readonly begins: (position: Position | null) => keyof FirstDays | null;
  readonly read: (reading: Reading) => AsyncGenerator<ExportStep>;
}

/**
 * How long before the newest record other records may still be committed, in milliseconds: a transaction can wait some seconds
 * for its account. Records seen in this time are remembered by id. The limit bounds the size of the checkpoint.
 */
const overlap = 600_000;

/** The newest records of an export, so that the next one neither repeats nor misses any. */
export interface Newest {
  /** The time of the newest record; null before the first one. */
  readonly at: string | null;
  /** The ids of the records shortly before it, when other records may still be committed. */
  readonly ids: readonly string[];
}

/** Whether a record is old enough that no records with an earlier time can be committed after the export. */
export function isSettled(at: string, newest: string | null): boolean {
  return newest !== null && Date.parse(at) < Date.parse(newest) - overlap;
}

/** The value before anything was read. */
export const noneYet: Newest = { at: null, ids: [] };

/** Adds a page to the newest records. Pages are read newest first. */
export function withNewest({ at, ids }: Newest, page: readonly { readonly id: string; readonly at: string }[]): Newest {
  const first = at ?? page[0]?.at ?? null;
  return { at: first, ids: [...ids, ...page.filter((record) => !isSettled(record.at, first)).map(({ id }) => id)] };
}

/**
 * The newest records after a run. If there are no newer ones, those of the previous run are kept, because some of them may have
 * been deleted since.
 */
export function endOf(last: Newest, { at, ids }: Newest): Newest {
  if (last.at === null || (at !== null && at > last.at)) return { at, ids };
  return { at: last.at, ids: [...new Set([...last.ids, ...ids])] };
}
