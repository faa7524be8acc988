import type { Db } from '../../store/database.ts';
import { insertOne } from '../../store/insert.ts';
import { newest } from '../../store/newest.ts';
import { type StatusChange, statusChanges } from './table.ts';

/** Records that a contact or a deal got another status, if it did. */
export async function noteStatus(
  db: Db,
  { id, account_id }: { readonly id: string; readonly account_id: string },
  { from, to, at }: { readonly from: string; readonly to: string; readonly at: number },
): Promise<void> {
  if (from !== to) await insertOne(db, statusChanges, { account_id, entity_id: id, from_status: from, to_status: to, at });
}

/** The latest changes of a contact or a deal, newest first. */
export async function latestStatuses(db: Db, entityId: string, limit: number): Promise<StatusChange[]> {
  return await newest(db, statusChanges, { entity_id: entityId }, undefined, limit);
}
