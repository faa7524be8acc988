import { sql } from 'kysely';
import { compareTexts } from '../../../contract/compare-texts.ts';
import { sum } from '../../../contract/sum.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { isAmongFound, isNumberAmong } from '../../store/is-among.ts';
import { preparedLists } from '../../store/prepared.ts';
import { outcomeTagsMax } from '../../../contract/areas/analytics/names.ts';
import { dayLength } from '../../../contract/days.ts';
import { sumDaily } from './counters.ts';
import { NumberSet } from './number-set.ts';
import { type Axis, axisOf, instantsOf, showPeriod } from './period.ts';
import { type Extent, ofScope } from './scope.ts';

/** The number of contacts in a step, which takes a few milliseconds. */
const contactsOfStep = 1_000;

const counters = ['conversations', 'conversations_replied', 'conversations_alerted', 'conversations_booked'] as const;

/**
 * Counts the conversations of an extent by the tags that their contacts have now (rules analytics.31 to analytics.36). Reads only
 * contacts with tags, step by step, so that other requests are served in between. The remaining conversations are those without a
 * tag.
 */
export async function readOutcomes({ store, scheduler }: Service, extent: Extent, groupBy: 'date' | 'tag') {
  const axis = axisOf(extent.period, 'day');
  const { latest, days, tags } = await store.read(async (db) => ({
    // Read before the sums, so that the sums include every conversation that is counted below.
    latest: await latestConversation(db, extent.accountId),
    days: await sumDaily(db, extent, ['day'], counters),
    tags: await db.selectFrom('tags').select(['id', 'name']).where('account_id', '=', extent.accountId).execute(),
  }));
  const remaining = axis.labels.map(() => 0);
  for (const { day, conversations } of days) remaining[axis.indexOf(day)] = conversations;
  const tally = new Tally(extent, axis, latest, remaining);
  const all: { tag_id: string | null; tag: string | null; total: number; counts: number[] }[] = [];
  for (const { id, name } of tags) {
    const counts = axis.labels.map(() => 0);
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      after = await scheduler.run(() => store.read((db) => tally.countNext(db, id, from, counts)));
    }
    all.push({ tag_id: id, tag: name, total: sum(counts), counts });
  }
  const unresolved = sum(remaining);
  all.push({ tag_id: null, tag: null, total: unresolved, counts: remaining });
  const shown = all
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || compareTexts(a.tag ?? '', b.tag ?? ''))
    .slice(0, outcomeTagsMax);
  const total = (counter: (typeof counters)[number]) => days.reduce((sum, row) => sum + row[counter], 0);
  return {
    ...showPeriod(extent.period),
    group_by: groupBy,
    labels: groupBy === 'tag' ? [] : axis.labels,
    by_tag: groupBy === 'tag' ? shown.map((tag) => ({ ...tag, counts: [] })) : shown,
    totals: {
      sessions: total('conversations'),
      replied: total('conversations_replied'),
      booked: total('conversations_booked'),
      human_alerted: total('conversations_alerted'),
      unresolved,
    },
  };
}

/** Counts conversations by the tags of their contacts. */
class Tally {
  readonly #extent: Extent;
  readonly #axis: Axis;
  readonly #latest: number;
  readonly #remaining: number[];
  readonly #counted = new NumberSet();

  /**
   * @param latest the `seq` of the last conversation that counts
   * @param remaining the conversations by their place on the axis. Those of contacts with a tag are subtracted, once for each
   * contact
   */
  constructor(extent: Extent, axis: Axis, latest: number, remaining: number[]) {
    this.#extent = extent;
    this.#axis = axis;
    this.#latest = latest;
    this.#remaining = remaining;
  }

  /**
   * Adds the conversations of the next contacts with a tag to its counts.
   * @param after the `seq` of the last contact that was counted
   * @returns the `seq` of the last contact that is counted now; undefined when no more follow
   */
  async countNext(db: Db, tag: string, after: number, counts: number[]): Promise<number | undefined> {
    const contacts = (await contactsWithTag(db, { tag, after, limit: contactsOfStep })).map(([seq]) => seq);
    const { fresh = [], known = [] } = Object.groupBy(contacts, (seq) => (this.#counted.add(seq) ? 'fresh' : 'known'));
    for (const { day, sessions } of await readDays(db, this.#extent, fresh, this.#latest)) {
      const index = this.#axis.indexOf(day);
      counts[index] = (counts[index] ?? 0) + sessions;
      this.#remaining[index] = (this.#remaining[index] ?? 0) - sessions;
    }
    for (const { day, sessions } of await readDays(db, this.#extent, known, this.#latest)) {
      const index = this.#axis.indexOf(day);
      counts[index] = (counts[index] ?? 0) + sessions;
    }
    return contacts.length < contactsOfStep ? undefined : contacts.at(-1);
  }
}

const contactsWithTag = preparedLists<{ tag: string; after: number; limit: number }, readonly [seq: number]>((db, $) =>
  db
    .selectFrom('contact_tags')
    .select('contact_seq')
    .where('tag_id', '=', $.tag)
    .where('contact_seq', '>', $.after)
    .orderBy('contact_seq')
    .limit($.limit),
);

/**
 * The `seq` of the latest conversation of an account; 0 when it has none. Later conversations begin while these are counted, and
 * are left out.
 */
async function latestConversation(db: Db, accountId: string): Promise<number> {
  const query = db.selectFrom('chat_sessions').select('seq').where('account_id', '=', accountId).orderBy('seq', 'desc').limit(1);
  return (await query.executeTakeFirst())?.seq ?? 0;
}

/**
 * Counts the conversations of some contacts by day. Uses the index of a contact's conversations, which includes their start
 * times.
 * @param latest the `seq` of the last conversation that counts
 */
async function readDays(db: Db, extent: Extent, contacts: readonly number[], latest: number): Promise<{ day: number; sessions: number }[]> {
  if (contacts.length === 0) return [];
  const { start, end } = instantsOf(extent.period);
  const ids = sql`select id from contacts where ${isNumberAmong(db, 'contacts.seq', JSON.stringify(contacts))}`;
  const { rows } = await sql<{ day: number; sessions: number }>`
    select started_at / ${sql.lit(dayLength)} as day, count(*) as sessions
    from chat_sessions
    where ${isAmongFound(db, 'contact_id', ids)} and +started_at >= ${start} and +started_at < ${end}
      and +seq <= ${latest}
      and ${ofScope(extent, 'chat_sessions', 'first_agent_id')}
    group by 1`.execute(db);
  return rows;
}
