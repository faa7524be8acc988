import { sql } from 'kysely';
import type { MessageStatus } from '../../../contract/areas/messages/endpoints.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { type Message, messageStatuses } from './table.ts';

/** Changes the status of a message, step by step, for those who watch. The account is locked. @param at epoch milliseconds */
export async function changeStatus(db: Db, message: Message, statuses: readonly MessageStatus[], at: number): Promise<void> {
  const status = statuses.at(-1);
  if (status === undefined) return;
  const { account_id, contact_id, id: message_id } = message;
  await db.updateTable('messages').set({ status }).where('id', '=', message_id).execute();
  const { rows } = await sql<{ seq: number }>`select max(seq) as seq from messages where account_id = ${account_id}`.execute(db);
  const change = { account_id, contact_id, message_id, message_seq: Number(rows[0]?.seq), created_at: at };
  await insertMany(
    db,
    messageStatuses,
    statuses.map((each) => ({ ...change, id: newId('mst'), status: each })),
  );
}
