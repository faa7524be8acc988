import { rangeCaps } from '../../../contract/areas/analytics/names.ts';
import { readList } from '../../../contract/fields.ts';
import { type AreaHandlers, ownTransactionsHandler, type Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { tags } from '../tags/table.ts';
import { readAiCost } from './ai-cost.ts';
import { readConversationCosts } from './conversation-costs.ts';
import { dashboardPeriod, readCampaignNames, readDashboard } from './dashboard.ts';
import { readCounters } from './figures.ts';
import { insightsOf } from './insights.ts';
import { readLedger } from './ledger.ts';
import { readOutcomes } from './outcomes.ts';
import { lengthOf, type Period, periodOf } from './period.ts';
import { checkAvailable, type Extent, requireScope, type ScopeQuery } from './scope.ts';
import { makeSeries } from './series.ts';
import { summarise } from './summary.ts';
import type { TagFilter } from './tag-filter.ts';
import { readTimeline } from './timeline.ts';

/**
 * The extent of a request. @throws ApiError 503 while the reporting database is unavailable, 404 for a campaign or agent of
 * another account
 */
async function extentOf(db: Db, accountId: string, period: Period, query: ScopeQuery = {}): Promise<Extent> {
  await checkAvailable(db);
  return { accountId, period, ...(await requireScope(db, accountId, query)) };
}

/** The tags of the dashboard's filter. @throws ApiError 404 when the account has no such tag */
async function requireTags(service: Service, accountId: string, ids: string | undefined, match: TagFilter['match']) {
  if (ids === undefined) return undefined;
  const tagIds = readList(ids);
  await service.store.read(async (db) => {
    for (const id of tagIds) await tags.require(db, accountId, id);
  });
  return { tagIds, match };
}

export const analyticsHandlers: AreaHandlers<'analytics'> = {
  'analytics.summary': async ({ db, account, query, now }) =>
    await summarise(db, await extentOf(db, account.id, periodOf(query, now, rangeCaps.ledger), query)),

  'analytics.credits': async ({ db, account, query, now, page }) => {
    const extent = await extentOf(db, account.id, periodOf(query, now, rangeCaps.ledger), query);
    return await readLedger(db, account, extent, query.cursor === undefined, page);
  },

  'analytics.aiCost': async ({ db, account, query, now }) => {
    const { period } = await extentOf(db, account.id, periodOf(query, now, rangeCaps.ledger));
    return await readAiCost(db, account, period);
  },

  'analytics.series': async ({ db, account, query, now }) =>
    await makeSeries(db, await extentOf(db, account.id, periodOf(query, now, rangeCaps.series), query), query),

  'analytics.outcomes': ownTransactionsHandler(async ({ service, account, query, now }) => {
    const period = periodOf(query, now, rangeCaps.series);
    const extent = await service.store.read((db) => extentOf(db, account.id, period, query));
    return await readOutcomes(service, extent, query.group_by ?? 'date');
  }),

  'analytics.conversationCosts': async ({ db, account, query, now }) =>
    await readConversationCosts(db, await extentOf(db, account.id, periodOf(query, now, rangeCaps.conversations))),

  'analytics.dashboard': ownTransactionsHandler(async ({ service, account, query }) => {
    const scope = { campaign_id: query.campaign_id ?? query.campaignId, agent_id: query.agent_id ?? query.agentId };
    const period = dashboardPeriod(query);
    const extent = await service.store.read((db) => extentOf(db, account.id, period, scope));
    const filter = await requireTags(service, account.id, query.tag_ids ?? query.tagIds, query.tag_match ?? query.tagMatch ?? 'any');
    return { data: await readDashboard(service, extent, filter, query.granularity ?? 'day') };
  }),

  'analytics.insights': ownTransactionsHandler(async ({ service, account, query }) => {
    const period = dashboardPeriod(query);
    const extent = await service.store.read((db) => extentOf(db, account.id, period));
    const before = { first: period.first - lengthOf(period), last: period.first - 1 };
    const compared = {
      period,
      now: await readCounters(service, extent),
      before: await readCounters(service, { ...extent, period: before }),
      names: await service.store.read((db) => readCampaignNames(db, account.id)),
    };
    return { data: { insights: insightsOf(compared) } };
  }),

  'analytics.activity': async ({ db, account, query }) => {
    await checkAvailable(db);
    return await readTimeline(db, account.id, query.entityType, query.entityId);
  },
};
