import type { FaultFields } from '../../contract/faults.ts';
import type { JobKind } from '../../contract/job-kinds.ts';
import { boolean, integer, json, text } from '../store/columns.ts';
import { type Row, type StoredRow, table } from '../store/table.ts';

/** Which kinds of jobs wait although they are due. */
export type Hold = 'all' | JobKind[];

/** A fault in force, with what it has counted. */
export type Fault = FaultFields & {
  readonly id: string;
  /** How many requests it matched. */
  readonly matched: number;
  /** How many of these it hit. */
  readonly fired: number;
};

/** One row: what all processes that serve the store must agree on. */
export const serviceState = table('service_state', {
  id: integer(),
  clock_frozen: boolean(),
  /** The instant at which a frozen clock stands. */
  clock_reading: integer(),
  /** How far a running clock is ahead of real time, in milliseconds. */
  clock_offset: integer(),
  hold: json<Hold>(),
  faults: json<readonly Fault[]>(),
  /** The process that advances the clock, and until when (real time) its claim holds. */
  advance_owner: text().nullable(),
  advance_until: integer(),
  sandbox_token_digest: text(),
  cursor_secret: text(),
  /** JSON: the private key of the sandbox's identity provider, as a JWK. */
  identity_key: text(),
});

export type ServiceState = Row<typeof serviceState>;

declare module '../store/database.ts' {
  interface Database {
    service_state: StoredRow<typeof serviceState>;
  }
}
