import { sql } from 'kysely';
import { nameTaken } from '../../errors.ts';
import type { Db } from '../../store/database.ts';

/**
 * Checks that no other record of an account has a name.
 * @param what how the error calls such a record
 * @param own the id of the record that is to have the name; null for a new one
 * @throws ApiError 409
 */
export async function checkNameFree(
  db: Db,
  { table, what }: { readonly table: string; readonly what: string },
  accountId: string,
  name: string | undefined,
  own: string | null,
): Promise<void> {
  if (name === undefined) return;
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where account_id = ${accountId} and name = ${name}`.execute(db);
  if (rows.some(({ id }) => id !== own)) throw nameTaken(`Another ${what} has the name '${name}'`);
}
