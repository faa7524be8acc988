import { sql } from 'kysely';
import { dayLength } from '../../../contract/time/days.ts';
import type { Db } from '../../store/database.ts';
import { isAmongFound, isNumberAmong } from '../../store/is-among.ts';
import { preparedLists } from '../../store/prepared.ts';
import type { Service } from '../../http/handler.ts';
import { NumberSet } from './number-set.ts';
import { type Axis, axisOf, instantsOf } from './period.ts';
import { type Extent, ofScope } from './scope.ts';

/** The number of contacts in a step, which takes a few milliseconds. */
const contactsOfStep = 1_000;

/** The conversations of some contacts, by their place on the axis. */
export interface ConversationsOfContacts {
  /** Those of the contacts with each tag, in the order of the tags. */
  readonly byTag: readonly (readonly number[])[];
  /** Those of the contacts with any of the tags, once for each contact. */
  readonly tagged: readonly number[];
}

/** What to count. */
interface Asked {
  readonly extent: Extent;
  readonly tagIds: readonly string[];
  /** The `seq` of the last conversation that counts. */
  readonly latest: number;
}

/** Counts the conversations of an extent by the tags that their contacts have now (rules analytics.31 to analytics.36), step by step. */
export async function countConversationsOfContacts({ store, scheduler }: Service, asked: Asked): Promise<ConversationsOfContacts> {
  const axis = axisOf(asked.extent.period, 'day');
  const tally = new Tally(asked, axis);
  const byTag: number[][] = [];
  for (const id of asked.tagIds) {
    const counts = axis.labels.map(() => 0);
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      after = await scheduler.run(() => store.read((db) => tally.countNext(db, id, from, counts)));
    }
    byTag.push(counts);
  }
  return { byTag, tagged: tally.tagged };
}

/** Counts conversations by the tags of their contacts. */
class Tally {
  readonly #asked: Asked;
  readonly #axis: Axis;
  readonly #counted = new NumberSet();
  /** The conversations of the contacts with any of the tags so far, once for each contact. */
  readonly tagged: number[];

  constructor(asked: Asked, axis: Axis) {
    this.#asked = asked;
    this.#axis = axis;
    this.tagged = axis.labels.map(() => 0);
  }

  /**
   * Adds the conversations of the next contacts with a tag to its counts.
   * @param after the `seq` of the last contact that was counted
   * @returns the `seq` of the last contact that is counted now; undefined when no more follow
   */
  async countNext(db: Db, tag: string, after: number, counts: number[]): Promise<number | undefined> {
    const contacts = (await contactsWithTag(db, { tag, after, limit: contactsOfStep })).map(([seq]) => seq);
    const { fresh = [], known = [] } = Object.groupBy(contacts, (seq) => (this.#counted.add(seq) ? 'fresh' : 'known'));
    await this.#count(db, fresh, [counts, this.tagged]);
    await this.#count(db, known, [counts]);
    return contacts.length < contactsOfStep ? undefined : contacts.at(-1);
  }

  async #count(db: Db, contacts: readonly number[], sums: readonly number[][]): Promise<void> {
    for (const { day, sessions } of await readDays(db, this.#asked, contacts)) {
      const index = this.#axis.indexOf(day);
      for (const counts of sums) counts[index] = (counts[index] ?? 0) + sessions;
    }
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
 * Counts the conversations of some contacts by day. Uses the index of a contact's conversations, which includes their start
 * times.
 */
async function readDays(db: Db, { extent, latest }: Asked, contacts: readonly number[]): Promise<{ day: number; sessions: number }[]> {
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
