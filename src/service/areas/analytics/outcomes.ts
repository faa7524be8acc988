import { sql } from 'kysely';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { dayLength } from '../activity/counts.ts';
import { sumDaily } from './counters.ts';
import { axisOf, instantsOf, showPeriod } from './period.ts';
import { type Extent, ofScope } from './scope.ts';

/** The greatest number of tags of an answer. */
const tagsMax = 20;

/** The number of contacts of a step, which takes a few milliseconds. */
const contactsOfStep = 300;

const counters = ['conversations', 'conversations_replied', 'conversations_alerted', 'conversations_booked'] as const;

/**
 * Counts the conversations of an extent by the tags that their contacts carry now (rules analytics.31 to analytics.36). Only
 * the contacts with tags are read, step by step, so that others are served in between. The rest of the conversations are
 * those without a tag.
 */
export async function readOutcomes({ store, turns }: Service, extent: Extent, groupBy: 'date' | 'tag') {
  const axis = axisOf(extent.period, 'day');
  const { days, tags } = await store.read(async (db) => ({
    days: await sumDaily(db, extent, ['day'], counters),
    tags: await db.selectFrom('tags').select(['id', 'name']).where('account_id', '=', extent.accountId).execute(),
  }));
  const untagged = axis.labels.map(() => 0);
  for (const { day, conversations } of days) untagged[axis.indexOf(day)] = conversations;
  const all: { tag_id: string | null; tag: string | null; total: number; counts: number[] }[] = [];
  for (const { id, name } of tags) {
    const counts = axis.labels.map(() => 0);
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      const step = await turns.run(() => store.read((db) => readStep(db, extent, id, from)));
      for (const { day, sessions, firsts } of step.rows) {
        const index = axis.indexOf(day);
        counts[index] = (counts[index] ?? 0) + sessions;
        untagged[index] = (untagged[index] ?? 0) - firsts;
      }
      after = step.end;
    }
    all.push({ tag_id: id, tag: name, total: sumOf(counts), counts });
  }
  const unresolved = sumOf(untagged);
  all.push({ tag_id: null, tag: null, total: unresolved, counts: untagged });
  const shown = all
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || ((a.tag ?? '') < (b.tag ?? '') ? -1 : 1))
    .slice(0, tagsMax);
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

/** The conversations of some contacts with a tag on a day. `firsts` are those that count under no tag with a lower id. */
interface TaggedDay {
  readonly day: number;
  readonly sessions: number;
  readonly firsts: number;
}

/** Counts the conversations of the next contacts with a tag. @returns where the next step begins; undefined at the end */
async function readStep(db: Db, extent: Extent, tagId: string, after: number): Promise<{ rows: TaggedDay[]; end: number | undefined }> {
  const { accountId, period } = extent;
  const { start, end } = instantsOf(period);
  const members = sql`select contact_seq from contact_tags where tag_id = ${tagId} and contact_seq > ${after} order by contact_seq`;
  const { rows } = await sql<TaggedDay>`
    select started_at / ${sql.lit(dayLength)} as day, count(*) as sessions, sum(is_first) as firsts
    from (select contacts.id, case when exists (
          select 1 from contact_tags join tags on tags.id = contact_tags.tag_id
          where contact_tags.contact_seq = contacts.seq and tag_id < ${tagId} and tags.account_id = ${accountId}) then 0 else 1 end as is_first
        from contacts where seq in (${members} limit ${contactsOfStep})) as member
      join (select contact_id, started_at from chat_sessions
        where started_at >= ${start} and started_at < ${end} and ${ofScope(extent, 'chat_sessions', 'first_agent_id')}) as talked on talked.contact_id = member.id
    group by 1`.execute(db);
  const next = await sql<{ contact_seq: number }>`${members} limit 1 offset ${contactsOfStep - 1}`.execute(db);
  return { rows, end: next.rows[0]?.contact_seq };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
