import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';

const ownersOfLists = prepared<{ ids: string }, { id: string; account_id: string }>((db, $) =>
  db
    .selectFrom('lists')
    .select(['id', 'account_id'])
    .where(isAmong(db, 'id', $.ids)),
);

/** @throws ApiError 404 when the account does not have one of the lists */
export async function requireLists(db: Db, accountId: string, ids: readonly string[]): Promise<void> {
  const found = ids.length === 0 ? [] : await ownersOfLists(db, { ids: JSON.stringify(ids) });
  const missing = ids.find((id) => !found.some((list) => list.id === id && list.account_id === accountId));
  if (missing !== undefined) throw notFound(`List ${missing}`);
}
