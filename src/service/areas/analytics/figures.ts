import { responsesMax } from '../../../contract/areas/analytics/names.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import type { Row } from '../../store/table.ts';
import type { dailyCounts } from '../activity/table.ts';
import { instantsOf, partsOf } from './period.ts';
import { type Extent, ofScope } from './scope.ts';

/** The counters of one day for one campaign, agent, channel and own number. */
export type DayFigures = Omit<Row<typeof dailyCounts>, 'account_id'>;

/** The counters of an hour. `hour` is the number of hours since 1970-01-01T00. */
export interface HourFigures {
  readonly hour: number;
  readonly sent: number;
  readonly replied: number;
}

/** The counters of an extent. */
export interface Counters {
  readonly daily: readonly DayFigures[];
  readonly hourly: readonly HourFigures[];
}

/** The data of the dashboard: counters, response times and the latest conversations. */
export interface Figures extends Counters {
  /** New contacts by country, empty when unknown. Null under a campaign, because a contact belongs to none. */
  readonly countries: ReadonlyMap<string, number> | null;
  /** The times to the first response, in milliseconds. */
  readonly responses: readonly number[];
  readonly latest: readonly LatestSession[];
}

/** A conversation for the feed of the dashboard. */
export interface LatestSession {
  readonly id: string;
  readonly channel: string;
  readonly started_at: number;
  readonly contact_id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly phone_number: string | null;
  readonly identity: string | null;
  readonly campaign_id: string | null;
  readonly alerts: string;
  readonly replied: number;
  readonly inbound: number;
}

/** The columns of a conversation for the feed. */
const latestColumns = [
  'chat_sessions.id',
  'chat_sessions.channel',
  'chat_sessions.started_at',
  'chat_sessions.contact_id',
  'contacts.first_name',
  'contacts.last_name',
  'contacts.phone_number',
  'contacts.identity',
  'chat_sessions.campaign_id',
  'chat_sessions.alerts',
  'chat_sessions.replied',
  'chat_sessions.inbound',
] as const;

/** The maximum number of conversations in the feed. */
export const latestMax = 20;

const hoursOfDay = 24;

/** The number of days whose counters a step reads. Each day can have a hundred rows, and thousands of new contacts by country. */
const daysOfStep = 14;

/**
 * Reads the figures of an extent from the counters and by indexes. Works step by step, so that other requests are served in
 * between.
 */
export async function readFigures(service: Service, extent: Extent): Promise<Figures> {
  const counters = await readCounters(service, extent);
  const others = await service.scheduler.run(() =>
    service.store.read(async (db) => ({
      responses: await readResponses(db, extent),
      latest: await readFeed(db, extent),
    })),
  );
  return { ...counters, countries: await readCountries(service, extent), ...others };
}

/** Reads the counters of an extent, step by step. */
export async function readCounters({ store, scheduler }: Service, extent: Extent): Promise<Counters> {
  const parts: Counters[] = [];
  for (const period of partsOf(extent.period, daysOfStep))
    parts.push(await scheduler.run(() => store.read((db) => readPart(db, { ...extent, period }))));
  return { daily: parts.flatMap(({ daily }) => daily), hourly: parts.flatMap(({ hourly }) => hourly) };
}

async function readPart(db: Db, extent: Extent): Promise<Counters> {
  const { accountId, period } = extent;
  const daily = db
    .selectFrom('daily_counts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('day', '>=', period.first)
    .where('day', '<=', period.last)
    .where(ofScope(extent, 'daily_counts'));
  const hourly = db
    .selectFrom('hourly_counts')
    .select(['hour', (eb) => eb.fn.sum<number>('sent').as('sent'), (eb) => eb.fn.sum<number>('replied').as('replied')])
    .where('account_id', '=', accountId)
    .where('hour', '>=', period.first * hoursOfDay)
    .where('hour', '<', (period.last + 1) * hoursOfDay)
    .where(ofScope(extent, 'hourly_counts'))
    .groupBy('hour');
  return { daily: await daily.execute(), hourly: await hourly.execute() };
}

/** Reads conversations for the feed, by `seq`, newest first. */
export async function readLatest(db: Db, seqs: readonly number[]): Promise<LatestSession[]> {
  const among = isNumberAmong(db, 'chat_sessions.seq', JSON.stringify(seqs));
  return await forFeed(db.selectFrom('chat_sessions').where(among)).execute();
}

/** The new contacts by country, read step by step. */
async function readCountries({ store, scheduler }: Service, extent: Extent): Promise<Map<string, number> | null> {
  if (extent.campaignId !== undefined) return null;
  const all = new Map<string, number>();
  for (const period of partsOf(extent.period, daysOfStep)) {
    const rows = await scheduler.run(() => store.read((db) => countCountries(db, { ...extent, period })));
    for (const { country, contacts } of rows) all.set(country, (all.get(country) ?? 0) + contacts);
  }
  return all;
}

async function countCountries(db: Db, extent: Extent) {
  const { accountId, period } = extent;
  return await db
    .selectFrom('country_counts')
    .select(['country', (eb) => eb.fn.sum<number>('contacts').as('contacts')])
    .where('account_id', '=', accountId)
    .where('day', '>=', period.first)
    .where('day', '<=', period.last)
    .where(ofScope(extent, 'country_counts'))
    .groupBy('country')
    .execute();
}

async function readResponses(db: Db, extent: Extent): Promise<number[]> {
  const rows = await sessionsOf(db, extent)
    .select('first_response_ms')
    .where('first_response_ms', 'is not', null)
    .orderBy('started_at', 'desc')
    .limit(responsesMax)
    .execute();
  return rows.map(({ first_response_ms: taken }) => taken ?? 0);
}

/**
 * Reads the latest conversations of an extent for the feed, newest first. First finds when they began, from the index alone:
 * conversations that began at the same time have no order in it, so the query would sort all of them.
 */
async function readFeed(db: Db, extent: Extent): Promise<LatestSession[]> {
  for (let count = latestMax; ; count *= 10) {
    const oldest = sessionsOf(db, extent)
      .select('started_at')
      .orderBy('started_at', 'desc')
      .limit(1)
      .offset(count - 1);
    const since = (await oldest.executeTakeFirst())?.started_at;
    const all = latestSessions(db, extent).limit(latestMax);
    const latest = await (since === undefined ? all : all.where('started_at', '>=', since)).execute();
    // Some of them can belong to contacts that are being deleted.
    if (since === undefined || latest.length === latestMax) return latest;
  }
}

/** The conversations that began in an extent. */
function sessionsOf(db: Db, extent: Extent) {
  const { start, end } = instantsOf(extent.period);
  return db
    .selectFrom('chat_sessions')
    .where('chat_sessions.account_id', '=', extent.accountId)
    .where('started_at', '>=', start)
    .where('started_at', '<', end)
    .where(ofScope(extent, 'chat_sessions', 'first_agent_id'));
}

/** The conversations of an extent for the feed, newest first. */
function latestSessions(db: Db, extent: Extent) {
  return forFeed(sessionsOf(db, extent));
}

/**
 * Conversations for the feed, newest first, with the names of their contacts. Contacts that are being deleted do not belong to the
 * account any more; their conversations are left out.
 */
function forFeed(sessions: ReturnType<typeof sessionsOf>) {
  return sessions
    .innerJoin('contacts', (join) =>
      join.onRef('contacts.id', '=', 'chat_sessions.contact_id').onRef('contacts.account_id', '=', 'chat_sessions.account_id'),
    )
    .select(latestColumns)
    .orderBy('started_at', 'desc')
    .orderBy('chat_sessions.seq', 'desc');
}
