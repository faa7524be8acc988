import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { lists } from './table.ts';

/** @throws ApiError 404 when the account does not have one of the lists */
export async function requireLists(db: Db, accountId: string, ids: readonly string[]): Promise<void> {
  const known = await lists.existing(db, accountId, ids);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound('list', missing);
}
