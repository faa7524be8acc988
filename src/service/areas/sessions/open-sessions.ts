import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Sender } from '../../../contract/areas/messages/endpoints.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import type { Journal } from '../activity/journal.ts';
import { conclude, countSession, endJob } from './conclude.ts';
import { addToSession, endsAt } from './rules.ts';
import { type ChatSession, chatSessions } from './table.ts';

/** Reads the open conversations of contacts, whose ids are a JSON list. */
export const openSessionsOf = prepared<{ contacts: string }, StoredRow<typeof chatSessions>>((db, $) =>
  db
    .selectFrom('chat_sessions')
    .selectAll()
    .where(isAmong(db, 'contact_id', $.contacts))
    .where('concluded_at', 'is', null),
);

const hour = 3_600_000;

/** A message of a conversation. */
interface SessionMessage {
  readonly contactId: string;
  readonly channel: ChannelName;
  /** The account's own number or identity; empty when unknown. */
  readonly ownIdentity: string;
  readonly sender: Sender;
  readonly agentId: string | null;
  readonly campaignId: string | null;
  /** Its price. */
  readonly millionths: number;
}

/**
 * The open conversations of some contacts, within a transaction. A new message is added to an open conversation, or starts a new
 * one.
 */
export class OpenSessions {
  readonly #db: Db;
  readonly #sessions = new Map<string, ChatSession>();
  readonly #changed = new Map<string, ChatSession>();
  readonly #begun: ChatSession[] = [];
  /** Those that end earlier than they would have, because the account has changed its hours. */
  readonly #ending: ChatSession[] = [];

  private constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Reads the open conversations of contacts, and ends those that should have ended by now.
   * @param journals the journals of the contacts' accounts
   */
  static async load(db: Db, journals: readonly Journal[], contactIds: readonly string[]): Promise<OpenSessions> {
    const sessions = new OpenSessions(db);
    if (contactIds.length === 0) return sessions;
    for (const row of await openSessionsOf(db, { contacts: JSON.stringify(contactIds) })) {
      const session = chatSessions.decode(row);
      const journal = journals.find(({ account }) => account.id === session.account_id);
      if (journal && endsAt(session) <= journal.now) await conclude(db, journal, session);
      else sessions.#sessions.set(keyOf(session.contact_id, session.channel), session);
    }
    return sessions;
  }

  /** The open conversation with a contact on a channel; undefined when no conversation is open. */
  find(contactId: string, channel: ChannelName): ChatSession | undefined {
    return this.#sessions.get(keyOf(contactId, channel));
  }

  /** Adds a message to its conversation. @returns the conversation, and whether the message is a reply */
  add(journal: Journal, message: SessionMessage): { session: ChatSession; isReply: boolean } {
    const open = this.find(message.contactId, message.channel);
    const before = open && { ...open };
    const session = open ?? this.#begin(journal, message);
    const isReply = addToSession(session, message, journal.now);
    session.concludes_after = journal.account.sessionHours * hour;
    // The job that waits would come too late.
    if (before && endsAt(session) < endsAt(before)) this.#ending.push(session);
    countSession(journal, before, session);
    this.#changed.set(session.id, session);
    return { session, isReply };
  }

  /** Writes the changes. The contacts must be stored first. */
  async save(): Promise<void> {
    await insertMany(this.#db, chatSessions, [...this.#changed.values()], updateSession);
    await enqueue(this.#db, ...[...this.#begun, ...this.#ending].map(endJob));
  }

  #begin(journal: Journal, { contactId, channel, ownIdentity, agentId, campaignId }: SessionMessage): ChatSession {
    const { account, now } = journal;
    const session = chatSessions.complete({
      id: newId('ses'),
      account_id: account.id,
      contact_id: contactId,
      channel,
      own_identity: ownIdentity,
      agent_id: agentId,
      first_agent_id: agentId,
      campaign_id: campaignId,
      started_at: now,
      last_message_at: now,
      concludes_after: account.sessionHours * hour,
    });
    this.#sessions.set(keyOf(contactId, channel), session);
    this.#begun.push(session);
    return session;
  }
}

function keyOf(contactId: string, channel: string): string {
  return `${contactId} ${channel}`;
}

const updateSession = overwriting(
  ['id'],
  [
    'agent_id',
    'last_message_at',
    'concludes_after',
    'inbound',
    'ai_sent',
    'human_sent',
    'automated_sent',
    'replied',
    'spent_millionths',
    'first_inbound_at',
    'first_response_ms',
  ],
);
