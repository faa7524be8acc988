import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Dimensions } from '../activity/counts.ts';
import type { Journal } from '../activity/journal.ts';
import { insertMany, isAmong } from '../../store/bulk.ts';
import { newId } from '../../identity/secrets.ts';
import { enqueueAll } from '../../jobs/jobs.ts';
import { type Db, prepared } from '../../store/store.ts';
import { type ChatSession, chatSessionRecord } from './records.ts';
import { endsAt, outcomeOf, wasWrittenTo } from './rules.ts';

const openSessions = prepared<ChatSession>((db) =>
  db.selectFrom('chat_sessions').selectAll().where(isAmong(db, 'contact_id')).where('concluded_at', 'is', null),
);

/** A message that belongs to a conversation. */
export interface SessionMessage {
  readonly contactId: string;
  readonly channel: ChannelName;
  /** The account's own number or account; empty where none is known. */
  readonly ownIdentity: string;
  readonly sender: 'contact' | 'ai' | 'human' | 'automated';
  readonly agentId: string | null;
  readonly campaignId: string | null;
  /** What it costs. */
  readonly millionths: number;
}

/** The open conversations of some contacts, within a transaction: messages go into them, and begin new ones. */
export class OpenSessions {
  readonly #db: Db;
  readonly #journal: Journal;
  readonly #sessions = new Map<string, ChatSession>();
  readonly #changed = new Map<string, ChatSession>();
  readonly #begun: ChatSession[] = [];

  private constructor(db: Db, journal: Journal) {
    this.#db = db;
    this.#journal = journal;
  }

  /** Reads the open conversations; those whose time is over by now are concluded. */
  static async load(db: Db, journal: Journal, contactIds: readonly string[]): Promise<OpenSessions> {
    const sessions = new OpenSessions(db, journal);
    if (contactIds.length === 0) return sessions;
    for (const session of await openSessions(db, [JSON.stringify(contactIds)])) {
      if (endsAt(session) <= journal.now) await conclude(db, journal, session);
      else sessions.#sessions.set(keyOf(session.contact_id, session.channel), session);
    }
    return sessions;
  }

  /** The open conversation with a contact on a channel, where there is one. */
  find(contactId: string, channel: ChannelName): ChatSession | undefined {
    return this.#sessions.get(keyOf(contactId, channel));
  }

  /** Takes a message into its conversation. Returns that, and whether the message is a reply. */
  take(message: SessionMessage): { session: ChatSession; isReply: boolean } {
    const { now } = this.#journal;
    const session = this.find(message.contactId, message.channel) ?? this.#begin(message);
    const isReply = message.sender === 'contact' && wasWrittenTo(session);
    session.last_message_at = now;
    session.agent_id = message.agentId ?? session.agent_id;
    session[counters[message.sender]]++;
    if (isReply) session.replied++;
    session.spent_millionths += message.millionths;
    if (message.millionths !== 0)
      this.#journal.count('conversation_credits', dimensionsOf(session), message.millionths, session.started_at);
    this.#changed.set(session.id, session);
    return { session, isReply };
  }

  /** Writes what changed. The contacts must be stored before. */
  async save(): Promise<void> {
    await insertMany(this.#db, 'chat_sessions', [...this.#changed.values()].map(rowOf), updateSession);
    await enqueueAll(this.#db, this.#begun.map(endJob));
  }

  #begin({ contactId, channel, ownIdentity, agentId, campaignId }: SessionMessage): ChatSession {
    const { account, now } = this.#journal;
    const session: ChatSession = {
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
      concluded_at: null,
      outcome: null,
      inbound: 0,
      ai_sent: 0,
      human_sent: 0,
      automated_sent: 0,
      replied: 0,
      spent_millionths: 0,
    };
    this.#sessions.set(keyOf(contactId, channel), session);
    this.#begun.push(session);
    this.#journal.count('conversations', dimensionsOf(session));
    return session;
  }
}

const counters = { contact: 'inbound', ai: 'ai_sent', human: 'human_sent', automated: 'automated_sent' } as const;

function keyOf(contactId: string, channel: string): string {
  return `${contactId} ${channel}`;
}

/** By what a conversation counts: as its first message does (3/Series detail). */
export function dimensionsOf({
  campaign_id: campaignId,
  first_agent_id: agentId,
  channel,
  own_identity: ownIdentity,
}: ChatSession): Dimensions {
  return { campaignId, agentId, channel, ownIdentity };
}

/** The columns of a session, as one is written that was read with its `seq`. */
function rowOf({ seq: _, ...row }: ChatSession & { seq?: number }): ChatSession {
  return row;
}

const updated = ['agent_id', 'last_message_at', 'inbound', 'ai_sent', 'human_sent', 'automated_sent', 'replied', 'spent_millionths'];

const updateSession = `on conflict (id) do update set ${updated.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/** The job that concludes a conversation: it looks again when there were messages since. */
export function endJob(session: ChatSession) {
  return { kind: 'session_end', accountId: session.account_id, payload: { session: session.id }, dueAt: endsAt(session) };
}

/** Concludes a conversation, and tells of it. */
export async function conclude(db: Db, journal: Journal, session: ChatSession): Promise<void> {
  const concluded = { ...session, concluded_at: journal.now, outcome: outcomeOf(session) };
  await db
    .updateTable('chat_sessions')
    .set({ concluded_at: concluded.concluded_at, outcome: concluded.outcome })
    .where('id', '=', session.id)
    .execute();
  const tags = await db
    .selectFrom('contact_tags')
    .innerJoin('contacts', 'contacts.seq', 'contact_tags.contact_seq')
    .select('tag_id')
    .where('contacts.id', '=', session.contact_id)
    .execute();
  journal.emit(
    'Chat Concluded',
    () => ({ chat_session: chatSessionRecord(concluded) }),
    tags.map(({ tag_id: id }) => id),
  );
}
