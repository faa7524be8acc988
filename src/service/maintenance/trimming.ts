import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from '../store/database.ts';
import { type MaintenanceTask, rowsOfStep } from './task.ts';
import { limitTo } from '../store/limits.ts';

/** Records that are deleted after some time. */
export interface OldRecords {
  /** The table. Its `seq` numbers the records in order of time. */
  readonly table: string;
  /** The column with the time of a record. */
  readonly time: string;
  /** How long the records are kept, in milliseconds of the service's clock. */
  readonly keep: number;
  /** Returns a condition for records from before an instant that must be kept for now. They are checked again later. */
  readonly unless?: (before: number) => RawBuilder<SqlBool>;
  /** Called with the condition of the records that are about to be deleted. */
  readonly onDelete?: (db: Db, isDeleted: RawBuilder<SqlBool>) => Promise<void>;
}

/** Deletes expired records, oldest first. Needs no index on the time, which would slow down every insertion. */
export function trimming({ table, time, keep, unless, onDelete }: OldRecords): MaintenanceTask {
  const some = (db: Db, after: number, limit: number) =>
    sql<{ seq: number; at: number }>`
      select seq, ${sql.ref(time)} as at from ${sql.table(table)} where seq > ${after} order by seq ${limitTo(limit)}`.execute(db);
  return {
    isDue: async (db, now) => {
      const [oldest] = (await some(db, 0, 1)).rows;
      return oldest !== undefined && oldest.at < now - keep;
    },
    step: async (db, now, position) => {
      const { rows } = await some(db, position, rowsOfStep);
      const young = rows.findIndex(({ at }) => at >= now - keep);
      const last = rows.at(young < 0 ? -1 : young - 1)?.seq;
      if (young === 0 || last === undefined) return undefined;
      const isRead = sql<SqlBool>`seq > ${position} and seq <= ${last}`;
      const isDeleted = unless ? sql<SqlBool>`${isRead} and not ${unless(now - keep)}` : isRead;
      await onDelete?.(db, isDeleted);
      await sql`delete from ${sql.table(table)} where ${isDeleted}`.execute(db);
      return young < 0 ? last : undefined;
    },
  };
}
