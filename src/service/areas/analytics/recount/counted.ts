import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { insertMany } from '../../../store/insert.ts';
import type { AnyTable } from '../../../store/table.ts';
import { adding } from '../../activity/counts.ts';
import { aiCounts, contactCounts, countryCounts, dailyCounts, hourlyCounts, ledgerCounts } from '../../activity/table.ts';
import { type CounterRow, countersOf, type Difference, greatest } from './sums.ts';

/** A table of counters. */
interface CountedTable {
  readonly table: AnyTable;
  /** The columns that identify a counter, in addition to the account. */
  readonly key: readonly [string, ...string[]];
  /** The upsert clause that adds to the counters of an existing row. */
  readonly clause: string;
}

export const countedTables = {
  daily: { table: dailyCounts, key: ['day', 'campaign_id', 'agent_id', 'channel', 'own_identity'], clause: adding.daily },
  hourly: { table: hourlyCounts, key: ['hour', 'campaign_id', 'agent_id'], clause: adding.hourly },
  ledger: { table: ledgerCounts, key: ['day', 'campaign_id', 'agent_id', 'reason'], clause: adding.ledger },
  calls: { table: aiCounts, key: ['day', 'provider'], clause: adding.calls },
  countries: { table: countryCounts, key: ['day', 'agent_id', 'country'], clause: adding.countries },
  contacts: { table: contactCounts, key: ['contact_id', 'hour', 'place'], clause: adding.contacts },
} satisfies Record<string, CountedTable>;

export type Counted = keyof typeof countedTables;

/** The tables whose counters belong to an account. The counters of contacts are rebuilt separately. */
export const accountTables = ['daily', 'hourly', 'ledger', 'calls', 'countries'] as const;

export type AccountCounted = (typeof accountTables)[number];

/** Adds differences to the stored counters. @param owner the columns of every row other than the key and the counters */
export async function applyDifferences(db: Db, counted: Counted, owner: CounterRow, differences: readonly Difference[]): Promise<void> {
  const { table, key, clause } = countedTables[counted];
  const rows = differences.map(({ place, added }) => ({ ...owner, ...place, ...added }));
  await insertMany(db, table, rows as never, clause);
  const stored = sql.table(table.name);
  const last = sql.ref(greatest);
  const isAt = (place: CounterRow) =>
    sql.join(
      Object.entries({ ...owner, ...place }).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
      sql` and `,
    );
  const nothing = Object.fromEntries(countersOf(table, key).map((column) => [column, 0]));
  for (const { place, lowered, isGone } of differences) {
    if (lowered) await sql`update ${stored} set ${last} = ${lowered.to} where ${isAt(place)} and ${last} = ${lowered.from}`.execute(db);
    if (isGone) await sql`delete from ${stored} where ${isAt({ ...place, ...nothing })}`.execute(db);
  }
}
