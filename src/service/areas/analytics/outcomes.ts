import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { sum } from '../../../contract/sum.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { outcomeTagsMax } from '../../../contract/areas/analytics/names.ts';
import { countConversationsOfContacts } from './contact-conversations.ts';
import { sumDaily } from './counters.ts';
import { axisOf, showPeriod } from './period.ts';
import type { Extent } from './scope.ts';

const counters = ['conversations', 'conversations_replied', 'conversations_alerted', 'conversations_booked'] as const;

/**
 * Counts the conversations of an extent by the tags that their contacts have now (rules analytics.31 to analytics.36). Reads only
 * contacts with tags. The remaining conversations are those without a tag.
 */
export async function readOutcomes(service: Service, extent: Extent, groupBy: 'date' | 'tag') {
  const axis = axisOf(extent.period, 'day');
  const { latest, days, tags } = await service.store.read(async (db) => ({
    // Read before the sums, so that the sums include every conversation that is counted below.
    latest: await latestConversation(db, extent.accountId),
    days: await sumDaily(db, extent, ['day'], counters),
    tags: await db.selectFrom('tags').select(['id', 'name']).where('account_id', '=', extent.accountId).execute(),
  }));
  const tagIds = tags.map(({ id }) => id);
  const { byTag, tagged } = await countConversationsOfContacts(service, { extent, tagIds, latest });
  const all: { tag_id: string | null; tag: string | null; total: number; counts: number[] }[] = tags.map(({ id, name }, tag) => {
    const counts = [...(byTag[tag] ?? [])];
    return { tag_id: id, tag: name, total: sum(counts), counts };
  });
  const remaining = tagged.map((count) => -count);
  for (const { day, conversations } of days) {
    const index = axis.indexOf(day);
    remaining[index] = (remaining[index] ?? 0) + conversations;
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

/**
 * The `seq` of the latest conversation of an account; 0 when it has none. Later conversations begin while these are counted, and
 * are left out.
 */
async function latestConversation(db: Db, accountId: string): Promise<number> {
  const query = db.selectFrom('chat_sessions').select('seq').where('account_id', '=', accountId).orderBy('seq', 'desc').limit(1);
  return (await query.executeTakeFirst())?.seq ?? 0;
}
