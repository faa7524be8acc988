import { sql } from 'kysely';
import type { RecordName } from '../../contract/errors.ts';
import { notFound } from '../errors.ts';
import type { Db } from './database.ts';

/** Checks that an account has a record, for an area below that of the record. @throws ApiError 404 when the account has no such record */
export async function requireRecord(db: Db, table: string, record: RecordName, accountId: string, id: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} where account_id = ${accountId} and id = ${id}`.execute(db);
  if (rows.length === 0) throw notFound(record);
}
