import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { accountJob } from '../activity/account-job.ts';
import type { Dimensions } from '../activity/counts.ts';
import type { Journal } from '../activity/journal.ts';
import { chatSessionRecord, findSession } from './records.ts';
import { endsAt, handlingOf, isAlerted, outcomeOf } from './rules.ts';
import type { ChatSession } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    session_end: { readonly session: string };
  }
}

/** The job that ends a conversation. */
export function endJob(session: ChatSession) {
  return { kind: 'session_end', accountId: session.account_id, payload: { session: session.id }, dueAt: endsAt(session) } as const;
}

/** Concludes a conversation after as many hours without a message as the account says. If there was a newer message, the job is queued again. */
export const sessionEnd = accountJob<'session_end'>(async (db, journal, { payload: { session: id } }) => {
  const session = await findSession(db, journal.account.id, id);
  if (session?.concluded_at !== null) return;
  if (endsAt(session) > journal.now) await enqueue(db, endJob(session));
  else await conclude(db, journal, session);
});

/** Concludes a conversation, and emits `Chat Concluded`. */
export async function conclude(db: Db, journal: Journal, session: ChatSession): Promise<void> {
  const end = { concluded_at: journal.now, outcome: outcomeOf(session) };
  await db.updateTable('chat_sessions').set(end).where('id', '=', session.id).execute();
  const record = () => ({ chat_session: chatSessionRecord({ ...session, ...end }) });
  journal.emit('Chat Concluded', record, () => readTags(db, session));
}

/** The ids of the tags that the contact of a conversation has now. */
async function readTags(db: Db, session: ChatSession): Promise<string[]> {
  const tags = await db
    .selectFrom('contact_tags')
    .innerJoin('contacts', 'contacts.seq', 'contact_tags.contact_seq')
    .innerJoin('tags', 'tags.id', 'contact_tags.tag_id')
    .select('tag_id')
    .where('contacts.id', '=', session.contact_id)
    .where('tags.account_id', '=', session.account_id)
    .execute();
  return tags.map(({ tag_id: id }) => id);
}

/** The dimensions under which a conversation is counted, from its first message. */
function dimensionsOf({ campaign_id: campaignId, first_agent_id: agentId, channel, own_identity: ownIdentity }: ChatSession): Dimensions {
  return { campaignId, agentId, channel, ownIdentity };
}

/**
 * Counts a conversation after a change.
 * @param before its state when it was last counted; undefined for a new conversation
 */
export function countSession(journal: Pick<Journal, 'count'>, before: CountedSession | undefined, after: ChatSession): void {
  const add = (counter: Parameters<Journal['count']>[0], amount: number) => {
    if (amount !== 0) journal.count(counter, dimensionsOf(after), amount, after.started_at);
  };
  add('conversations', before ? 0 : 1);
  add('conversation_credits', after.spent_millionths - (before?.spent_millionths ?? 0));
  add('conversations_replied', Number(after.replied > 0) - Number((before?.replied ?? 0) > 0));
  add('conversations_alerted', Number(isAlerted(after)) - Number(before !== undefined && isAlerted(before)));
  add('conversations_booked', Number(after.booked) - Number(before?.booked ?? false));
  for (const handling of ['contained', 'handed_off'] as const) {
    const was = before !== undefined && handlingOf(before) === handling;
    const is = handlingOf(after) === handling;
    add(handling, Number(is) - Number(was));
    add(`${handling}_credits`, (is ? after.spent_millionths : 0) - (was ? before.spent_millionths : 0));
  }
}

/** The fields of a conversation that its counters depend on. */
type CountedSession = Pick<ChatSession, 'ai_sent' | 'alerts' | 'booked' | 'human_sent' | 'replied' | 'spent_millionths'>;
