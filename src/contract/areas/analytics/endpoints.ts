import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { id, integerQuery, nextCursor, pageQuery, timestamp, words } from '../../fields.ts';
import { analyticsRead, figure, ignoredTags, range, scopedQuery, scopeParameters, usd } from './fields.ts';
import { granularities, groupings, metricNames, defaultMetrics } from './names.ts';
import { dashboardEndpoints } from './dashboard.ts';

const shared = { ...analyticsRead, errors: [404, 'analytics_unavailable'] } as const;
const view = { ...shared, permission: 'analytics.view' } as const;
const billing = { ...shared, permission: 'billing.view' } as const;

/** The counters of a summary. */
export const summaryFigures = () => ({
  total: z.int(),
  sent: z.int(),
  delivered: z.int(),
  read: z.int(),
  replied: z.int(),
  booked: z.int(),
  contact_created: z.int(),
  credits_spent: figure(),
  credits_recharged: figure(),
});

export const getSummary = endpoint({
  ...view,
  name: 'analytics.summary',
  path: '/analytics/summary',
  summary: 'Count messages, replies, bookings, contacts and credits by day',
  query: () => scopedQuery({ ...range(), ...ignoredTags() }),
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        totals: z.object(summaryFigures()),
        by_date: z.array(z.object({ date: z.string(), ...summaryFigures() })),
        truncated: z.boolean(),
      }),
  },
});

const ledgerRecord = () =>
  z.object({
    id: z.string(),
    at: timestamp(),
    reason: z.string(),
    credits: figure(),
    cost_usd: usd(),
    campaign_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    message_id: z.string().nullable(),
    is_adjustment: z.boolean(),
    transfer_account_id: z.string().nullable().describe('the other account of a transfer; null for other records'),
  });

const byName = () => z.record(z.string(), z.number());

export const getLedger = endpoint({
  ...billing,
  name: 'analytics.credits',
  path: '/analytics/credits',
  summary: 'Show what credits were spent on, with the records of the ledger, newest first',
  query: () => scopedQuery({ ...range(), ...pageQuery() }),
  rows: 'records',
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        totals: z.object({ credits_used: figure(), cost_usd: usd(), records: z.int() }).nullable(),
        by_reason: byName().nullable(),
        by_reason_cost: byName().nullable(),
        by_campaign: byName().nullable(),
        records: z.array(ledgerRecord()),
        next_cursor: nextCursor(),
        costs_redacted: z.boolean(),
        truncated: z.boolean(),
      }),
  },
});

export const getAiCost = endpoint({
  ...view,
  errors: ['analytics_unavailable'],
  name: 'analytics.aiCost',
  path: '/analytics/ai-cost',
  summary: 'Show what calls of AI cost by day',
  query: () => z.object(range()),
  refusedQuery: scopeParameters,
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        totals: z.object({ total_usd: usd(), byok_usd: usd(), platform_usd: usd(), calls: z.int() }),
        days: z.array(
          z.object({
            date: z.string(),
            total_usd: usd(),
            byok_usd: usd(),
            platform_usd: usd(),
            input_usd: usd(),
            output_usd: usd(),
            cache_creation_usd: usd(),
            cache_read_usd: usd(),
            calls: z.int(),
            by_provider: byName(),
          }),
        ),
        costs_redacted: z.boolean(),
      }),
  },
});

/** The arrays of values by the name of their metric. */
const seriesFigures = () => z.record(z.string(), z.array(z.number()));

const seriesKey = () =>
  z.object({
    campaign: z.string().nullable().optional(),
    channel: z.string().nullable().optional(),
    agent: z.string().nullable().optional(),
    number: z.string().nullable().optional(),
  });

/** The maximum number of series in an answer, and the default. */
export const seriesLimit = { max: 50, default: 12 } as const;

export const getSeries = endpoint({
  ...view,
  name: 'analytics.series',
  path: '/analytics/series',
  summary: 'Show figures over time, grouped by campaign, channel, agent or number',
  query: () =>
    scopedQuery({
      ...range(),
      metrics: words(metricNames)
        .optional()
        .meta({ description: `a list of ${metricNames.join(', ')}`, defaultText: defaultMetrics.join(',') }),
      group_by: words(groupings, 2)
        .optional()
        .describe(`up to two of ${groupings.join(', ')}, separated by commas`),
      granularity: z.enum(granularities).optional().meta({ description: 'the length of the steps', defaultText: 'day' }),
      limit: integerQuery(1, seriesLimit.max)
        .optional()
        .meta({ description: 'the number of series', defaultText: `${seriesLimit.default}` }),
      channel: z.enum(channelNames).optional().describe('only figures of this channel'),
      ...ignoredTags(),
    }),
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        granularity: z.enum(granularities),
        labels: z.array(z.string()),
        group_by: z.array(z.enum(groupings)),
        metrics: z.array(z.enum(metricNames)),
        series: z.array(z.object({ key: seriesKey(), total: figure(), metrics: seriesFigures() })),
        other_bucket: z.object({ series_count: z.int(), total: figure(), metrics: seriesFigures() }).nullable(),
        truncated: z.boolean(),
      }),
  },
});

export const getOutcomes = endpoint({
  ...view,
  name: 'analytics.outcomes',
  path: '/analytics/outcomes',
  summary: 'Count conversations by the tags that their contacts carry now',
  query: () =>
    scopedQuery({
      ...range(),
      group_by: z.enum(['date', 'tag']).optional().describe('date (the default) counts by day too'),
      ...ignoredTags(),
    }),
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        group_by: z.enum(['date', 'tag']),
        labels: z.array(z.string()),
        by_tag: z.array(z.object({ tag_id: z.string().nullable(), tag: z.string().nullable(), total: z.int(), counts: z.array(z.int()) })),
        totals: z.object({
          sessions: z.int(),
          replied: z.int(),
          booked: z.int(),
          human_alerted: z.int(),
          unresolved: z.int(),
        }),
      }),
  },
});

const handled = () => z.object({ sessions: z.int(), credits: figure(), avg_credits: figure() });

export const getConversationCosts = endpoint({
  ...billing,
  errors: ['analytics_unavailable'],
  name: 'analytics.conversationCosts',
  path: '/analytics/conversation-costs',
  summary: 'Show what conversations cost, by whether AI or people handled them',
  query: () => z.object(range()),
  refusedQuery: scopeParameters,
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        sessions: z.int(),
        total_credits: figure(),
        summary: z.object({ contained: handled(), handed_off: handled(), no_ai: handled() }),
        sessions_truncated: z.boolean(),
      }),
  },
});

export const entityTypes = ['contact', 'deal', 'task'] as const;

export const activityKinds = ['message', 'appointment', 'task', 'session', 'note', 'deal', 'status_change'] as const;

export const getActivity = endpoint({
  ...view,
  name: 'analytics.activity',
  path: '/analytics/entity-activity',
  summary: 'Show what happened with a contact, a deal or a task, newest first',
  query: () =>
    z.object({
      entityType: z.enum(entityTypes).describe('what the record is'),
      entityId: id().describe('the id of the record'),
    }),
  responses: {
    200: () =>
      z.object({
        items: z.array(
          z.object({
            id: z.string(),
            kind: z.enum(activityKinds),
            at: timestamp(),
            label: z.string(),
            from: z.string().nullable().describe('the status before a change of status'),
            to: z.string().nullable().describe('the status after a change of status'),
          }),
        ),
      }),
  },
});

export const analyticsEndpoints = [
  getSummary,
  getLedger,
  getAiCost,
  getSeries,
  getOutcomes,
  getConversationCosts,
  ...dashboardEndpoints,
  getActivity,
] as const;
