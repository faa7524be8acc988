import { sql } from 'kysely';
import type { MessageStatus } from '../../../contract/areas/messages/endpoints.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { engineOf } from '../../store/prepared.ts';
import { type Message, messageStatuses } from './table.ts';

/** Changes the status of a message, step by step, for those who watch. The account is locked. @param at epoch milliseconds */
export async function changeStatus(db: Db, message: Message, statuses: readonly MessageStatus[], at: number): Promise<void> {
  const status = statuses.at(-1);
  if (status === undefined) return;
  const { account_id, contact_id, id: message_id } = message;
  await db.updateTable('messages').set({ status }).where('id', '=', message_id).execute();
  // Not that of the newest message: it falls when that is deleted, and later changes would stand before earlier ones.
  const counter =
    engineOf(db) === 'sqlite'
      ? sql`select seq from sqlite_sequence where name = 'messages'`
      : sql`select last_value as seq from messages_seq_seq`;
  const { rows } = await sql<{ seq: number }>`${counter}`.execute(db);
  const change = { account_id, contact_id, message_id, message_seq: Number(rows[0]?.seq), created_at: at };
  await insertMany(
    db,
    messageStatuses,
    statuses.map((each) => ({ ...change, id: newId('mst'), status: each })),
  );
}
