import { sql } from 'kysely';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { dayLength, dayOf, noDaily } from '../activity/counts.ts';
import { type DayFigures, type Figures, type HourFigures, latestColumns, latestMax, type LatestSession, responsesMax } from './figures.ts';
import { instantsOf } from './period.ts';
import type { Extent } from './scope.ts';

/** The contacts that carry any or all of some tags. */
export interface TagFilter {
  readonly tagIds: readonly string[];
  readonly match: 'any' | 'all';
}

/** The number of contacts of a step, which takes some milliseconds. */
const contactsOfStep = 100;

/**
 * Makes the figures of an extent from the messages of the contacts that carry tags now (rule analytics.46), step by step, so
 * that others are served in between.
 */
export async function readTaggedFigures({ store, turns }: Service, extent: Extent, filter: TagFilter): Promise<Figures> {
  const found = new TaggedFigures();
  let after = 0;
  for (;;) {
    const from = after;
    const contacts = await turns.run(() =>
      store.read(async (db) => {
        const some = await contactsWith(db, filter, from);
        if (some.length > 0) await found.add(db, extent, JSON.stringify(some));
        return some;
      }),
    );
    if (contacts.length < contactsOfStep) return found.figures(extent);
    after = contacts.at(-1) ?? 0;
  }
}

async function contactsWith(db: Db, { tagIds, match }: TagFilter, after: number): Promise<number[]> {
  const rows = await db
    .selectFrom('contact_tags')
    .select('contact_seq')
    .where('tag_id', 'in', tagIds)
    .where('contact_seq', '>', after)
    .groupBy('contact_seq')
    .having((eb) => eb.fn.count('tag_id').distinct(), '>=', match === 'all' ? new Set(tagIds).size : 1)
    .orderBy('contact_seq')
    .limit(contactsOfStep)
    .execute();
  return rows.map(({ contact_seq: seq }) => seq);
}

/** What a message adds to the figures. */
interface MessageRow {
  readonly created_at: number;
  readonly campaign_id: string;
  readonly agent_id: string;
  readonly channel: string;
  readonly own_identity: string;
  readonly sender: 'contact' | 'ai' | 'human' | 'automated';
  readonly status: string;
  readonly millionths: number;
  readonly is_reply: number;
}

type Place = Pick<DayFigures, 'day' | 'campaign_id' | 'agent_id' | 'channel' | 'own_identity'>;

class TaggedFigures {
  readonly #daily = new Map<string, DayFigures>();
  readonly #hourly = new Map<number, { hour: number; sent: number; replied: number }>();
  readonly #countries = new Map<string, number>();
  #responses: { at: number; taken: number }[] = [];
  #latest: (LatestSession & { readonly seq: number })[] = [];

  /** Adds the messages, the conversations and the creations of some contacts. @param seqs the JSON list of their numbers */
  async add(db: Db, extent: Extent, seqs: string): Promise<void> {
    for (const row of await messagesOf(db, extent, seqs)) this.#addMessage(row);
    const { start, end } = instantsOf(extent.period);
    const isWhole = extent.campaignId === undefined;
    const created = await db
      .selectFrom('contacts')
      .select(['created_at', 'first_agent_id', 'channel', 'country'])
      .where('account_id', '=', extent.accountId)
      .where(isNumberAmong(db, 'seq', seqs))
      .where('created_at', '>=', start)
      .where('created_at', '<', end)
      .execute();
    for (const { created_at: at, first_agent_id: agent, channel, country } of created) {
      if (!isWhole || (extent.agentId !== undefined && agent !== extent.agentId)) continue;
      this.#at({ day: dayOf(at), campaign_id: '', agent_id: agent ?? '', channel, own_identity: '' }).contact_created++;
      this.#countries.set(country ?? '', (this.#countries.get(country ?? '') ?? 0) + 1);
    }
    await this.#addSessions(db, extent, seqs);
  }

  figures({ campaignId }: Extent): Figures {
    const responses = this.#responses.sort((a, b) => b.at - a.at).slice(0, responsesMax);
    const hourly: HourFigures[] = [...this.#hourly.values()];
    return {
      daily: [...this.#daily.values()],
      hourly,
      // A contact belongs to no campaign.
      countries: campaignId === undefined ? this.#countries : null,
      responses: responses.map(({ taken }) => taken),
      latest: this.#latest,
    };
  }

  #addMessage({ created_at: at, sender, status, millionths, is_reply: isReply, ...place }: MessageRow): void {
    const figures = this.#at({ day: dayOf(at), ...place });
    const hour = Math.floor(at / (dayLength / 24));
    const ofHour = this.#hourly.get(hour) ?? { hour, sent: 0, replied: 0 };
    this.#hourly.set(hour, ofHour);
    figures.last_message_at = Math.max(figures.last_message_at, at);
    if (sender === 'contact') {
      figures.received++;
      figures.replied += isReply;
      ofHour.replied += isReply;
      return;
    }
    figures[`${sender}_sent`]++;
    ofHour.sent++;
    if (status === 'delivered' || status === 'read') figures.delivered++;
    if (status === 'read') figures.read++;
    // A failed message was refunded.
    if (status !== 'failed') figures.credits_spent += millionths;
  }

  async #addSessions(db: Db, extent: Extent, seqs: string): Promise<void> {
    const sessions = await readSessions(db, extent, seqs);
    for (const { started_at: at, first_response_ms: taken } of sessions) if (taken !== null) this.#responses.push({ at, taken });
    const latest = sessions.map(({ first_response_ms: _, ...session }) => session);
    this.#latest = [...this.#latest, ...latest].sort((a, b) => b.started_at - a.started_at || b.seq - a.seq).slice(0, latestMax);
  }

  #at(place: Place): DayFigures {
    const key = [place.day, place.campaign_id, place.agent_id, place.channel, place.own_identity].join('\n');
    let figures = this.#daily.get(key);
    if (!figures) this.#daily.set(key, (figures = { ...place, ...noDaily, last_message_at: 0 }));
    return figures;
  }
}

/** The conversations of contacts that began in an extent. The `+` keeps the engines from reading all conversations by time. */
async function readSessions(db: Db, { accountId, period, campaignId, agentId }: Extent, seqs: string) {
  const { start, end } = instantsOf(period);
  let query = db
    .selectFrom('contacts')
    .innerJoin('chat_sessions', 'chat_sessions.contact_id', 'contacts.id')
    .where('contacts.account_id', '=', accountId)
    .where(isNumberAmong(db, 'contacts.seq', seqs))
    .where(sql<number>`+chat_sessions.started_at`, '>=', start)
    .where(sql<number>`+chat_sessions.started_at`, '<', end)
    .select([...latestColumns, 'chat_sessions.seq', 'chat_sessions.first_response_ms']);
  if (campaignId !== undefined) query = query.where('chat_sessions.campaign_id', '=', campaignId);
  if (agentId !== undefined) query = query.where('chat_sessions.first_agent_id', '=', agentId);
  return await query.execute();
}

/** The messages of contacts in an extent, each with whether it is a reply. */
async function messagesOf(db: Db, { accountId, period, campaignId, agentId }: Extent, seqs: string): Promise<MessageRow[]> {
  const { start, end } = instantsOf(period);
  const ofScope = [
    ...(campaignId === undefined ? [] : [sql`and campaign_id = ${campaignId}`]),
    ...(agentId === undefined ? [] : [sql`and agent_id = ${agentId}`]),
  ];
  const { rows } = await sql<MessageRow>`
    select created_at, campaign_id, agent_id, channel, own_identity, sender, status, millionths, is_reply
    from (select messages.created_at, coalesce(messages.campaign_id, '') as campaign_id, coalesce(messages.agent_id, '') as agent_id,
        messages.channel, messages.own_identity, sender, status, millionths,
        case when direction = 'inbound' and messages.seq > min(case when direction = 'outbound' then messages.seq end)
          over (partition by messages.contact_id, session_id) then 1 else 0 end as is_reply
      from contacts join messages on messages.contact_id = contacts.id
      where contacts.account_id = ${accountId} and ${isNumberAmong(db, 'contacts.seq', seqs)}) as counted
    where created_at >= ${start} and created_at < ${end} ${sql.join(ofScope, sql` `)}`.execute(db);
  return rows;
}
