import { sql } from 'kysely';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { dayOf } from '../activity/counts.ts';
import { isBooked } from './bookings.ts';
import { axisOf, instantsOf, showPeriod } from './period.ts';
import type { Extent } from './scope.ts';

/** The greatest number of tags of an answer. */
const tagsMax = 20;

/** The number of conversations of a step, which takes a few milliseconds. */
const sessionsOfStep = 1_000;

/** A conversation with one of the tags of its contact. One with several tags has several rows. */
interface TaggedSession {
  readonly seq: number;
  readonly started_at: number;
  readonly tag_id: string | null;
  readonly replied: number;
  readonly alerted: number;
  readonly booked: number;
}

/** Where a step ended. */
interface Position {
  readonly at: number;
  readonly seq: number;
}

/**
 * Counts the conversations of an extent by the tags that their contacts carry now (rules analytics.31 to analytics.36). They
 * are read step by step, so that others are served in between.
 */
export async function readOutcomes({ store, turns }: Service, extent: Extent, groupBy: 'date' | 'tag') {
  const axis = axisOf(extent.period, 'day');
  const totals = { sessions: 0, replied: 0, booked: 0, human_alerted: 0, unresolved: 0 };
  const byTag = new Map<string | null, number[]>();
  let after: Position | undefined = { at: instantsOf(extent.period).start, seq: 0 };
  while (after) {
    const from: Position = after;
    const step = await turns.run(() => store.read((db) => readStep(db, extent, from)));
    let last = -1;
    for (const row of step.rows) {
      const counts = byTag.get(row.tag_id) ?? axis.labels.map(() => 0);
      byTag.set(row.tag_id, counts);
      const index = axis.indexOf(dayOf(row.started_at));
      counts[index] = (counts[index] ?? 0) + 1;
      if (row.seq === last) continue;
      last = row.seq;
      totals.sessions++;
      totals.replied += row.replied;
      totals.booked += row.booked;
      totals.human_alerted += row.alerted;
      if (row.tag_id === null) totals.unresolved++;
    }
    after = step.end;
  }
  const names = await store.read((db) => readNames(db, extent.accountId));
  const tags = [...byTag]
    .map(([id, counts]) => ({ tag_id: id, tag: id === null ? null : (names.get(id) ?? null), total: sumOf(counts), counts }))
    .sort((a, b) => b.total - a.total || ((a.tag ?? '') < (b.tag ?? '') ? -1 : 1))
    .slice(0, tagsMax);
  return {
    ...showPeriod(extent.period),
    group_by: groupBy,
    labels: groupBy === 'tag' ? [] : axis.labels,
    by_tag: groupBy === 'tag' ? tags.map((tag) => ({ ...tag, counts: [] })) : tags,
    totals,
  };
}

/** Reads the next conversations by their start. @returns their rows, and where the next step begins; undefined at the end */
async function readStep(db: Db, extent: Extent, { at, seq }: Position): Promise<{ rows: TaggedSession[]; end: Position | undefined }> {
  const { accountId, campaignId, agentId, period } = extent;
  const { end } = instantsOf(period);
  const ofScope =
    campaignId === undefined
      ? agentId === undefined
        ? sql``
        : sql`and first_agent_id = ${agentId}`
      : sql`and campaign_id = ${campaignId}`;
  const { rows } = await sql<TaggedSession>`
    select page.seq, page.started_at, contact_tags.tag_id, page.replied, page.alerted, page.booked
    from (select seq, started_at, contact_id, case when replied > 0 then 1 else 0 end as replied,
        case when alerts <> '[]' then 1 else 0 end as alerted, ${isBooked} as booked
      from chat_sessions
      where account_id = ${accountId} and started_at < ${end} and (started_at, seq) > (${at}, ${seq}) ${ofScope}
      order by started_at, seq limit ${sessionsOfStep}) as page
    join contacts on contacts.id = page.contact_id and contacts.account_id = ${accountId}
    left join contact_tags on contact_tags.contact_seq = contacts.seq
    order by page.started_at, page.seq`.execute(db);
  const next = await sql<{ started_at: number; seq: number }>`
    select started_at, seq from chat_sessions
    where account_id = ${accountId} and started_at < ${end} and (started_at, seq) > (${at}, ${seq}) ${ofScope}
    order by started_at, seq limit 1 offset ${sessionsOfStep - 1}`.execute(db);
  const [last] = next.rows;
  return { rows, end: last && { at: last.started_at, seq: last.seq } };
}

async function readNames(db: Db, accountId: string): Promise<Map<string, string>> {
  const rows = await db.selectFrom('tags').select(['id', 'name']).where('account_id', '=', accountId).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
