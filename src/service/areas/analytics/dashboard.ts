import { dateOf } from '../../../contract/time/zones.ts';
import type { Dashboard } from '../../../contract/areas/analytics/dashboard.ts';
import { type Granularity, rangeCaps } from '../../../contract/areas/analytics/names.ts';
import { invalidField } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import {
  activityFeedOf,
  breakdownOf,
  channelDailyOf,
  channelVolumeOf,
  countriesOf,
  handlingsOf,
  heatmapOf,
  inboxSlaOf,
  numberStatsOf,
  splitOf,
  topCampaignsOf,
} from './blocks.ts';
import { readFigures } from './figures.ts';
import { lengthOf, type Period, readDay } from './period.ts';
import type { Extent } from './scope.ts';
import type { TagFilter } from './tag-filter.ts';
import { readTaggedFigures } from './tagged-figures.ts';

/**
 * The period of the dashboard. If it is too wide, its start is moved forward (rule analytics.38).
 * @throws ApiError 400 when it ends before it begins
 */
export function dashboardPeriod({ startDate, endDate }: { startDate: string; endDate: string }): Period {
  const period = { first: readDay(startDate), last: readDay(endDate) };
  if (period.first > period.last) throw invalidField('startDate', `must not be after ${endDate}`);
  return lengthOf(period) > rangeCaps.series ? { ...period, first: period.last - rangeCaps.series + 1 } : period;
}

/**
 * The blocks of the dashboard (rules analytics.37 to analytics.48).
 * @param filter only contacts with these tags
 */
export async function readDashboard(
  service: Service,
  extent: Extent,
  filter: TagFilter | undefined,
  granularity: Granularity,
): Promise<Dashboard> {
  const figures = filter ? await readTaggedFigures(service, extent, filter) : await readFigures(service, extent);
  const names = await service.store.read((db) => readCampaignNames(db, extent.accountId));
  const { period } = extent;
  return {
    startDate: dateOf(period.first),
    endDate: dateOf(period.last),
    heatmap: heatmapOf(figures),
    topCampaigns: topCampaignsOf(figures, names),
    channelVolume: channelVolumeOf(figures),
    inboxSla: inboxSlaOf(figures),
    activityFeed: activityFeedOf(figures, names),
    numberStats: numberStatsOf(figures),
    channelDailySeries: channelDailyOf(figures, period),
    metricDailyBreakdown: breakdownOf(figures, period, granularity),
    contactsByCountry: countriesOf(figures),
    ai_human_split: splitOf(figures),
    conversation_outcomes: filter ? null : handlingsOf(figures),
  };
}

/** The names of the account's campaigns, by id. */
export async function readCampaignNames(db: Db, accountId: string): Promise<Map<string, string>> {
  const rows = await db.selectFrom('campaigns').select(['id', 'name']).where('account_id', '=', accountId).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
