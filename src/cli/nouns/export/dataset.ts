import type { Client } from '../../../client/client.ts';
import type { Feature } from '../../../contract/plan.ts';
import type { FirstDays } from '../../figures/first-days.ts';
import type { ResultRow } from '../../output/result.ts';
import type { ReadColumn } from './columns.ts';

/** A condition on rows of an account: `['date', '>=', '2026-11-01']`. */
export type Condition = readonly [column: string, operator: '=' | '<>' | '<=' | '>=', value: string | number];

/** A part of what is read of an account. */
export interface Step {
  /** Records as the interface answers them. What has no account is of the one that is read. */
  readonly rows: readonly ResultRow[];
  /** The rows of the account for which all of these hold, and that are not among `rows`, are gone. */
  readonly replaces?: readonly Condition[];
  /** The state from which an interrupted run continues, as JSON. */
  readonly resume: ResultRow;
  /** How far the dataset is exported after these rows, as JSON; null if more follow. */
  readonly done: ResultRow | null;
}

/** An account that is exported. */
export interface AccountRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly kind: string;
  /** Null if it has to be asked for. */
  readonly balance: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What a dataset is read with. */
export interface Reading {
  /** Acts on the account. */
  readonly client: Client;
  readonly account: AccountRecord;
  /** The first day to export, as YYYY-MM-DD in UTC; null for everything. */
  readonly since: string | null;
  /** The time of the service, in epoch milliseconds. */
  readonly now: number;
  /** What the last complete run left as `done`; undefined for the first one. */
  readonly position: ResultRow | undefined;
  /** What the last step of an interrupted run left as `resume`. */
  readonly resume: ResultRow | undefined;
  /** The first day that the account has anything on. */
  readonly firstDay: (kind: keyof FirstDays) => Promise<string>;
  /** The name of another account; null if it is unknown. */
  readonly nameOf: (accountId: string) => Promise<string | null>;
  /** The smallest value of a column among the exported rows that meet the conditions; null without any. */
  readonly smallest: (column: string, conditions: readonly Condition[]) => string | null;
  /** Some columns of the broadcasts of the account, if this run has read them; null if it has not. */
  readonly broadcasts: (columns: readonly string[]) => readonly ResultRow[] | null;
}

/** A dataset: a table in which each account has rows. */
export interface Dataset {
  readonly name: string;
  readonly description: string;
  /** The columns that tell rows apart. */
  readonly key: readonly string[];
  readonly columns: () => readonly ReadColumn[];
  /** Whether each run reads all of it, because the interface does not tell what changed. */
  readonly isReadAnew: boolean;
  /** What the plan of an account must include for it to have any of it. */
  readonly feature?: Feature | undefined;
  readonly read: (reading: Reading) => AsyncGenerator<Step>;
}
