import { sql } from 'kysely';
import { responsesMax } from '../../../contract/areas/analytics/names.ts';
import type { Db } from '../../store/database.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { preparedLists } from '../../store/prepared.ts';
import { placeIn, readPlace } from '../activity/contact-counts.ts';
import { dayOf, hourLength, noDaily } from '../activity/counts.ts';
import type { Service } from '../../http/handler.ts';
import { type Counters, type DayFigures, latestMax } from './figures.ts';
import { instantsOf } from './period.ts';
import { type Extent, isOfScope } from './scope.ts';
import { nextMatching, type TagFilter } from './tag-filter.ts';

/**
 * The maximum numbers of contacts and of counters in a step, which then takes a few milliseconds. A single contact can have more
 * counters.
 */
const contactsOfStep = 1_000;
const countersOfStep = 10_000;

/** The figures of some contacts. */
export interface FiguresOfContacts extends Counters {
  /** The new contacts by country, empty when unknown. */
  readonly countries: ReadonlyMap<string, number>;
  /** The latest conversations that were answered, and the latest conversations overall, newest first. */
  readonly responses: readonly { readonly at: number; readonly taken: number }[];
  readonly latest: readonly { readonly at: number; readonly seq: number }[];
}

/** Computes the figures of an extent from the counters of the contacts that have the tags now (rule analytics.46), step by step. */
export async function readFiguresOfContacts({ store, scheduler }: Service, extent: Extent, filter: TagFilter): Promise<FiguresOfContacts> {
  const readStep = <Result>(work: (db: Db) => Promise<Result>) => scheduler.run(() => store.read(work));
  const found = new TaggedFigures(extent);
  // Newest first, because the newest contacts usually have the latest conversations. Few of the other contacts then need to be
  // read.
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
    const from: number = before;
    const { contacts, end } = await readStep((db) => nextMatching(db, filter, from, contactsOfStep));
    before = end;
    for (let batches = contacts.length > 0 ? [contacts] : []; batches[0];) {
      const [batch, ...others] = batches as [number[], ...number[][]];
      const isRead = await readStep((db) => found.add(db, batch));
      batches = isRead ? others : [...halvesOf(batch), ...others];
    }
  }
  return found.figures;
}

function halvesOf<Item>(items: readonly Item[]): Item[][] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** The latest conversations, newest first. */
function latestOf<Session extends { readonly at: number; readonly seq: number }>(sessions: readonly Session[]): Session[] {
  return sessions.toSorted((a, b) => b.at - a.at || b.seq - a.seq).slice(0, latestMax);
}

/** The latest conversations that were answered, newest first. */
function latestResponses<Session extends { readonly at: number }>(sessions: readonly Session[]): Session[] {
  return sessions.toSorted((a, b) => b.at - a.at).slice(0, responsesMax);
}

class TaggedFigures {
  readonly #extent: Extent;
  readonly #start: number;
  readonly #end: number;
  /** The days of each place, starting with the first day; null for a place outside of the scope. */
  readonly #places = new Map<string, DayFigures[] | null>();
  /** The place of the last lookup. */
  #latestPlace: { readonly text: string; readonly days: DayFigures[] | null } = { text: '', days: null };
  /** The hours, starting with the first one. */
  readonly #hours: { hour: number; sent: number; replied: number }[] = [];
  readonly #countries = new Map<string, number>();
  /** The latest conversations that were answered, and the latest conversations overall, newest first. */
  #responses: { readonly at: number; readonly taken: number }[] = [];
  #latest: { readonly at: number; readonly seq: number }[] = [];

  constructor(extent: Extent) {
    this.#extent = extent;
    ({ start: this.#start, end: this.#end } = instantsOf(extent.period));
  }

  /** Adds some contacts with all their figures. @returns false when they are too many for one step; nothing is added then */
  async add(db: Db, seqs: readonly number[]): Promise<boolean> {
    const contacts = await contactsOf(db, { account: this.#extent.accountId, seqs: JSON.stringify(seqs) });
    const ids = JSON.stringify(contacts.map(([id]) => id));
    const hours = { first: this.#start / hourLength, end: this.#end / hourLength };
    const limit = contacts.length > 1 ? countersOfStep : Number.MAX_SAFE_INTEGER;
    const counters = await countersOf(db, { contacts: ids, ...hours, limit });
    if (counters.length === limit) return false;
    for (const each of counters) this.#addCounters(each);
    for (const each of contacts) this.#addContact(each);
    for (const [at, place] of await bookingsOf(db, { contacts: ids, start: this.#start, end: this.#end })) {
      const figures = this.#at(at, place);
      if (figures) figures.booked++;
    }
    await this.#addSessions(db, contacts);
    return true;
  }

  get figures(): FiguresOfContacts {
    return {
      daily: [...this.#places.values()].flatMap((days) => days?.filter(Boolean) ?? []),
      hourly: this.#hours.filter(Boolean),
      countries: this.#countries,
      responses: this.#responses,
      latest: this.#latest,
    };
  }

  #addCounters([place, ai, human, automated, received, delivered, read, replied, spent, at]: ContactCounters): void {
    const figures = this.#at(at, place);
    if (!figures) return;
    figures.ai_sent += ai;
    figures.human_sent += human;
    figures.automated_sent += automated;
    figures.received += received;
    figures.delivered += delivered;
    figures.read += read;
    figures.replied += replied;
    figures.credits_spent += spent;
    if (at > figures.last_message_at) figures.last_message_at = at;
    const hour = Math.floor(at / hourLength);
    const ofHour = (this.#hours[hour - this.#start / hourLength] ??= { hour, sent: 0, replied: 0 });
    ofHour.sent += ai + human + automated;
    ofHour.replied += replied;
  }

  #addContact([, at, place, country]: ContactRow): void {
    if (at < this.#start || at >= this.#end) return;
    const figures = this.#at(at, place);
    if (!figures) return;
    figures.contact_created++;
    this.#countries.set(country, (this.#countries.get(country) ?? 0) + 1);
  }

  /** Adds conversations of contacts that may be among the latest. */
  async #addSessions(db: Db, contacts: readonly ContactRow[]): Promise<void> {
    const since = this.#since();
    const recent = contacts.filter(([, , , , lastMessageAt]) => lastMessageAt >= since).map(([id]) => id);
    if (recent.length === 0) return;
    const sessions = await sessionsOf(db, { contacts: JSON.stringify(recent), start: since, end: this.#end });
    for (const [seq, at, taken, campaign_id, agent_id] of sessions) {
      if (!isOfScope(this.#extent, { campaign_id, agent_id })) continue;
      this.#latest.push({ at, seq });
      if (taken !== null) this.#responses.push({ at, taken });
    }
    this.#latest = latestOf(this.#latest);
    this.#responses = latestResponses(this.#responses);
  }

  /** The time from which conversations can be among the latest. Older ones cannot. */
  #since(): number {
    const [oldest, slowest] = [this.#latest[latestMax - 1], this.#responses[responsesMax - 1]];
    return oldest && slowest ? Math.min(oldest.at, slowest.at) : this.#start;
  }

  /** The figures for the day of an instant; undefined for a place outside of the scope. */
  #at(instant: number, place: string): DayFigures | undefined {
    const days = this.#daysOf(place);
    if (!days) return undefined;
    const day = dayOf(instant);
    return (days[day - this.#extent.period.first] ??= { day, ...readPlace(place), ...noDaily, last_message_at: 0 });
  }

  /**
   * The days of a place; null for a place outside of the scope. Consecutive rows usually have the same place, so the latest one
   * is compared first.
   */
  #daysOf(place: string): DayFigures[] | null {
    if (place === this.#latestPlace.text) return this.#latestPlace.days;
    let days = this.#places.get(place);
    if (days === undefined) this.#places.set(place, (days = isOfScope(this.#extent, readPlace(place)) ? [] : null));
    this.#latestPlace = { text: place, days };
    return days;
  }
}

type ContactRow = readonly [id: string, createdAt: number, place: string, country: string, lastMessageAt: number];

const contactsOf = preparedLists<{ account: string; seqs: string }, ContactRow>((db, $) =>
  db
    .selectFrom('contacts')
    .select((eb) => [
      'id',
      'created_at',
      placeIn({ agent: 'first_agent_id', channel: 'channel' }).as('place'),
      eb.fn.coalesce('country', eb.val('')).as('country'),
      eb.fn.coalesce('last_message_at', eb.val(0)).as('last_message_at'),
    ])
    .where('account_id', '=', $.account)
    .where(isNumberAmong(db, 'seq', $.seqs)),
);

type ContactCounters = readonly [
  place: string,
  ai: number,
  human: number,
  automated: number,
  received: number,
  delivered: number,
  read: number,
  replied: number,
  spent: number,
  at: number,
];

/**
 * The counters of contacts from hour `first` up to, but not including, hour `end`. The hour itself is not selected, because it
 * follows from the time of the last message.
 */
const countersOf = preparedLists<{ contacts: string; first: number; end: number; limit: number }, ContactCounters>((db, $) =>
  db
    .selectFrom('contact_counts')
    .select(['place', 'ai_sent', 'human_sent', 'automated_sent', 'received', 'delivered', 'read', 'replied'])
    .select(['credits_spent', 'last_message_at'])
    .where(isAmong(db, 'contact_id', $.contacts))
    .where('hour', '>=', $.first)
    .where('hour', '<', $.end)
    .limit($.limit),
);

type BookingRow = readonly [at: number, place: string];

const bookingsOf = preparedLists<{ contacts: string; start: number; end: number }, BookingRow>((db, $) =>
  db
    .selectFrom('appointments')
    .select('created_at')
    .select(placeIn({ campaign: 'campaign_id', agent: 'agent_id', channel: 'channel' }).as('place'))
    .where(isAmong(db, 'contact_id', $.contacts))
    .where('imported', '=', 0)
    .where('created_at', '>=', $.start)
    .where('created_at', '<', $.end),
);

type SessionRow = readonly [seq: number, at: number, taken: number | null, campaign: string, agent: string];

/**
 * The conversations of contacts that began in a period. The `+` prevents the database engines from reading all conversations by
 * time.
 */
const sessionsOf = preparedLists<{ contacts: string; start: number; end: number }, SessionRow>((db, $) =>
  db
    .selectFrom('chat_sessions')
    .select((eb) => [
      'seq',
      'started_at',
      'first_response_ms',
      eb.fn.coalesce('campaign_id', eb.val('')).as('campaign'),
      eb.fn.coalesce('first_agent_id', eb.val('')).as('agent'),
    ])
    .where(isAmong(db, 'contact_id', $.contacts))
    .where(sql<number>`+started_at`, '>=', $.start)
    .where(sql<number>`+started_at`, '<', $.end),
);
