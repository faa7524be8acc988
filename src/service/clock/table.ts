import type { FaultFields } from '../../contract/faults.ts';
import type { JobKind } from '../../contract/job-kinds.ts';
import { boolean, integer, json, text } from '../store/columns.ts';
import { type Row, type StoredRow, table } from '../store/table.ts';

/** The kinds of jobs that are held. They do not run, even when they are due. */
export type Hold = 'all' | JobKind[];

/** An active fault, with its counters. */
export type Fault = FaultFields & {
  readonly id: string;
  /** The number of requests that it matched. */
  readonly matched: number;
  /** The number of these requests that it hit. */
  readonly fired: number;
};

/** A single row of state that all processes on the store share. */
export const serviceState = table('service_state', {
  id: integer(),
  clock_frozen: boolean(),
  /** The time of a frozen clock. */
  clock_reading: integer(),
  /** The difference between the running clock and real time, in milliseconds. */
  clock_offset: integer(),
  hold: json<Hold>(),
  faults: json<readonly Fault[]>(),
  /** The process that advances the clock, and the real time at which its claim expires. */
  advance_owner: text().nullable(),
  advance_until: integer(),
  sandbox_token_digest: text(),
  cursor_secret: text(),
  /** JSON: the private key of the sandbox's identity provider, as a JWK. */
  identity_key: text(),
  /** The model for embeddings that the last process had; null when it had none. */
  embedding_model: text().nullable(),
});

export type ServiceState = Row<typeof serviceState>;

declare module '../store/database.ts' {
  interface Database {
    service_state: StoredRow<typeof serviceState>;
  }
}
