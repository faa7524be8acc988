import type { Client } from '../../../../client/client.ts';
import type { Row } from '../../../output/result.ts';

/** How far a dataset was exported, as JSON. */
export type Position = Row;

/** Some rows, in the order in which they stand in the file. */
export interface Step {
  readonly rows: readonly Row[];
  /** Where a run that ends here goes on, as JSON. */
  readonly resume: Row;
  /** How far the dataset is exported with these rows; null when more rows follow. */
  readonly done: Position | null;
  /** How many requests the days take of which this is the first step, when that is known. */
  readonly requests?: number;
}

/** What a run reads. */
export interface Reading {
  readonly client: Client;
  /** The first day of the first run, as YYYY-MM-DD; null for everything. */
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
  readonly read: (reading: Reading) => AsyncGenerator<Step>;
}

/** How long before the last record other records may have been committed after it was exported, in milliseconds. */
const overlap = 3_600_000;

/** The records at the end of an export, so that the next one neither repeats nor misses any. */
export interface Newest {
  /** When the newest record was made; null before the first one. */
  readonly at: string | null;
  /** The records of the hour before it. */
  readonly ids: readonly string[];
}

/** Whether a record is older than all that may still have come after an export. */
export function isSettled(at: string, newest: string | null): boolean {
  return newest !== null && Date.parse(at) < Date.parse(newest) - overlap;
}
