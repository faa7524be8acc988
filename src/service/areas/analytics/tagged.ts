import { sql } from 'kysely';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { dayOf, hourLength, noDaily } from '../activity/counts.ts';
import { type DayFigures, type Figures, type HourFigures, latestColumns, latestMax, type LatestSession, responsesMax } from './figures.ts';
import { instantsOf } from './period.ts';
import { type Extent, isOfScope, ofScope } from './scope.ts';
import { nextContacts, type TagFilter } from './tag-filter.ts';

/** The greatest number of contacts and of messages of a step, which takes some milliseconds. */
const contactsOfStep = 100;
const messagesOfStep = 1_000;

/**
 * Makes the figures of an extent from the messages of the contacts that carry tags now (rule analytics.46), step by step, so
 * that others are served in between.
 */
export async function readTaggedFigures({ store, turns }: Service, extent: Extent, filter: TagFilter): Promise<Figures> {
  const found = new TaggedFigures(extent);
  const step = <Result>(read: (db: Db) => Promise<Result>) => turns.run(() => store.read(read));
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after;
    const { contacts, end } = await step((db) => nextContacts(db, filter, from, contactsOfStep));
    after = end;
    if (contacts.length === 0) continue;
    await step((db) => found.addRecords(db, contacts));
    for (let page: MessageRow[] | undefined; !page || page.length === messagesOfStep;) {
      const last = page?.at(-1);
      page = await step((db) => messagesOf(db, extent, contacts, last));
      found.addMessages(page);
    }
  }
  return found.figures();
}

/** A message, with the number of its contact. */
interface MessageRow {
  readonly contact: number;
  readonly seq: number;
  readonly session_id: string;
  readonly created_at: number;
  readonly campaign_id: string;
  readonly agent_id: string;
  readonly channel: string;
  readonly own_identity: string;
  readonly sender: 'contact' | 'ai' | 'human' | 'automated';
  readonly status: string;
  readonly millionths: number;
}

type Place = Pick<DayFigures, 'day' | 'campaign_id' | 'agent_id' | 'channel' | 'own_identity'>;

class TaggedFigures {
  readonly #extent: Extent;
  readonly #daily = new Map<string, DayFigures>();
  readonly #hourly = new Map<number, { hour: number; sent: number; replied: number }>();
  readonly #countries = new Map<string, number>();
  #responses: { at: number; taken: number }[] = [];
  #latest: (LatestSession & { readonly seq: number })[] = [];
  /** The contact whose messages were added last, and its conversations in which it was sent something. */
  #contact = 0;
  readonly #writtenTo = new Set<string>();

  constructor(extent: Extent) {
    this.#extent = extent;
  }

  /** Adds the creations, the bookings and the conversations of some contacts. */
  async addRecords(db: Db, contacts: readonly number[]): Promise<void> {
    const seqs = JSON.stringify(contacts);
    await this.#addContacts(db, seqs);
    await this.#addBookings(db, seqs);
    await this.#addSessions(db, seqs);
  }

  /** Adds messages. Those of a contact come one after the other, the oldest first, from its first one on. */
  addMessages(rows: readonly MessageRow[]): void {
    const { start } = instantsOf(this.#extent.period);
    for (const row of rows) {
      if (row.contact !== this.#contact) this.#writtenTo.clear();
      this.#contact = row.contact;
      const isReply = row.sender === 'contact' && this.#writtenTo.has(row.session_id);
      if (row.sender !== 'contact') this.#writtenTo.add(row.session_id);
      if (row.created_at >= start && isOfScope(this.#extent, row)) this.#addMessage(row, isReply);
    }
  }

  figures(): Figures {
    const hourly: HourFigures[] = [...this.#hourly.values()];
    return {
      daily: [...this.#daily.values()],
      hourly,
      // A contact belongs to no campaign.
      countries: this.#extent.campaignId === undefined ? this.#countries : null,
      responses: newestOf(this.#responses).map(({ taken }) => taken),
      latest: this.#latest,
    };
  }

  #addMessage({ created_at: at, sender, status, millionths, ...row }: MessageRow, isReply: boolean): void {
    const figures = this.#at(at, row);
    const hour = Math.floor(at / hourLength);
    const ofHour = this.#hourly.get(hour) ?? { hour, sent: 0, replied: 0 };
    this.#hourly.set(hour, ofHour);
    figures.last_message_at = Math.max(figures.last_message_at, at);
    if (sender === 'contact') {
      figures.received++;
      if (!isReply) return;
      figures.replied++;
      ofHour.replied++;
      return;
    }
    figures[`${sender}_sent`]++;
    ofHour.sent++;
    if (status === 'delivered' || status === 'read') figures.delivered++;
    if (status === 'read') figures.read++;
    // A failed message was refunded.
    if (status !== 'failed') figures.credits_spent += millionths;
  }

  async #addContacts(db: Db, seqs: string): Promise<void> {
    const { accountId, period, campaignId, agentId } = this.#extent;
    if (campaignId !== undefined) return;
    const { start, end } = instantsOf(period);
    let query = db
      .selectFrom('contacts')
      .select(['created_at', 'first_agent_id', 'channel', 'country'])
      .where('account_id', '=', accountId)
      .where(isNumberAmong(db, 'seq', seqs))
      .where('created_at', '>=', start)
      .where('created_at', '<', end);
    if (agentId !== undefined) query = query.where('first_agent_id', '=', agentId);
    for (const { created_at: at, first_agent_id: agent, channel, country } of await query.execute()) {
      this.#at(at, { campaign_id: '', agent_id: agent ?? '', channel, own_identity: '' }).contact_created++;
      this.#countries.set(country ?? '', (this.#countries.get(country ?? '') ?? 0) + 1);
    }
  }

  async #addBookings(db: Db, seqs: string): Promise<void> {
    const { start, end } = instantsOf(this.#extent.period);
    const bookings = await db
      .selectFrom('contacts')
      .innerJoin('appointments', 'appointments.contact_id', 'contacts.id')
      .select(['appointments.created_at', 'appointments.campaign_id', 'appointments.agent_id', 'appointments.channel'])
      .where('contacts.account_id', '=', this.#extent.accountId)
      .where(isNumberAmong(db, 'contacts.seq', seqs))
      .where('imported', '=', 0)
      .where('appointments.created_at', '>=', start)
      .where('appointments.created_at', '<', end)
      .where(ofScope(this.#extent, 'appointments'))
      .execute();
    for (const { created_at: at, campaign_id: campaign, agent_id: agent, channel } of bookings)
      this.#at(at, { campaign_id: campaign ?? '', agent_id: agent ?? '', channel: channel ?? '', own_identity: '' }).booked++;
  }

  async #addSessions(db: Db, seqs: string): Promise<void> {
    const sessions = await readSessions(db, this.#extent, seqs);
    for (const { started_at: at, first_response_ms: taken } of sessions) if (taken !== null) this.#responses.push({ at, taken });
    if (this.#responses.length > 2 * responsesMax) this.#responses = newestOf(this.#responses);
    const latest = sessions.map(({ first_response_ms: _, ...session }) => session);
    this.#latest = [...this.#latest, ...latest].sort((a, b) => b.started_at - a.started_at || b.seq - a.seq).slice(0, latestMax);
  }

  #at(instant: number, { campaign_id, agent_id, channel, own_identity }: Omit<Place, 'day'>): DayFigures {
    const place: Place = { day: dayOf(instant), campaign_id, agent_id, channel, own_identity };
    const key = Object.values(place).join('\n');
    let figures = this.#daily.get(key);
    if (!figures) this.#daily.set(key, (figures = { ...place, ...noDaily, last_message_at: 0 }));
    return figures;
  }
}

/** The response times of the latest conversations. */
function newestOf<Response extends { readonly at: number }>(responses: readonly Response[]): Response[] {
  return responses.toSorted((a, b) => b.at - a.at).slice(0, responsesMax);
}

/** The conversations of contacts that began in an extent. The `+` keeps the engines from reading all conversations by time. */
async function readSessions(db: Db, extent: Extent, seqs: string) {
  const { start, end } = instantsOf(extent.period);
  return await db
    .selectFrom('contacts')
    .innerJoin('chat_sessions', 'chat_sessions.contact_id', 'contacts.id')
    .where('contacts.account_id', '=', extent.accountId)
    .where(isNumberAmong(db, 'contacts.seq', seqs))
    .where(sql<number>`+chat_sessions.started_at`, '>=', start)
    .where(sql<number>`+chat_sessions.started_at`, '<', end)
    .where(ofScope(extent, 'chat_sessions', 'first_agent_id'))
    .select([...latestColumns, 'chat_sessions.seq', 'chat_sessions.first_response_ms'])
    .execute();
}

/**
 * Reads messages of contacts up to the end of an extent, contact by contact, the oldest first. Those before the extent say
 * which of its messages are replies.
 * @param last the message after which the reading goes on
 */
async function messagesOf(db: Db, { accountId, period }: Extent, contacts: readonly number[], last?: MessageRow): Promise<MessageRow[]> {
  const left = last ? contacts.filter((seq) => seq >= last.contact) : contacts;
  const { rows } = await sql<MessageRow>`
    select contacts.seq as contact, messages.seq, session_id, messages.created_at, coalesce(messages.campaign_id, '') as campaign_id,
      coalesce(messages.agent_id, '') as agent_id, messages.channel, messages.own_identity, sender, status, millionths
    from contacts join messages on messages.contact_id = contacts.id
      and messages.seq > case when contacts.seq = ${last?.contact ?? 0} then cast(${last?.seq ?? 0} as bigint) else 0 end
    where contacts.account_id = ${accountId} and ${isNumberAmong(db, 'contacts.seq', JSON.stringify(left))}
      and messages.created_at < ${instantsOf(period).end}
    order by contacts.seq, messages.seq limit ${messagesOfStep}`.execute(db);
  return rows;
}
