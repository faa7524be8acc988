import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { dayLength } from '../../../contract/time/days.ts';
import type { Db } from '../../store/database.ts';

// Counters keep what deleted records have counted. So that a rebuild from the records does not lose it, the deletion of records
// notes their days, and a rebuild never lowers the counters of these days.

/**
 * Notes the days of records that are about to be deleted.
 * @param time the column with the time at which a record is counted
 * @param isDeleted the records
 */
export async function noteDeleted(db: Db, table: string, time: string, isDeleted: RawBuilder<SqlBool>): Promise<void> {
  await sql`insert into incomplete_days (account_id, day)
    select distinct account_id, ${sql.ref(time)} / ${sql.lit(dayLength)} from ${sql.table(table)} where ${isDeleted}
    on conflict do nothing`.execute(db);
}

/**
 * Notes all days of conversations that lose messages, or are about to be deleted: whether a message is a reply depends on the earlier
 * ones of its conversation.
 */
export async function noteConversations(db: Db, isNoted: RawBuilder<SqlBool>): Promise<void> {
  await sql`insert into incomplete_days (account_id, day)
    with recursive days (account_id, day, last) as (
      select account_id, started_at / ${sql.lit(dayLength)}, last_message_at / ${sql.lit(dayLength)} from chat_sessions where ${isNoted}
      union select account_id, day + 1, last from days where day < last)
    select distinct account_id, day from days where true on conflict do nothing`.execute(db);
}

/** Notes the days of a contact that is about to be deleted: of its messages, its conversations and its creation. */
export async function noteDeletedContact(db: Db, accountId: string, contactId: string): Promise<void> {
  const isOfContact = sql<SqlBool>`contact_id = ${contactId}`;
  await noteDeleted(db, 'chat_sessions', 'started_at', isOfContact);
  await noteDeleted(db, 'contacts', 'created_at', sql<SqlBool>`id = ${contactId}`);
  await sql`insert into incomplete_days (account_id, day)
    select distinct ${accountId}, hour / 24 from contact_counts where ${isOfContact} on conflict do nothing`.execute(db);
}
