import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { id, timestamp } from '../../fields.ts';
import { analyticsRead, day, figure, oneScope, scopeParameters, tagIds } from './fields.ts';
import { granularities } from './names.ts';

const view = { ...analyticsRead, permission: 'analytics.view' } as const;

const days = () => ({
  startDate: day().describe('the first day, in UTC'),
  endDate: day().describe('the last day, in UTC'),
});

const tagMatches = ['any', 'all'] as const;

/** The second spelling of a parameter, which older programs send. */
const sameAs = (parameter: string) => ({ description: `the same as ${parameter}`, deprecated: true });

/** The query of the dashboard. Most parameters have two spellings. If both are given, the first one counts. */
const dashboardQuery = () =>
  z
    .object({
      ...days(),
      campaign_id: id().optional().describe('only figures of this campaign'),
      campaignId: id().optional().meta(sameAs('campaign_id')),
      agent_id: id().optional().describe('only figures of this agent'),
      agentId: id().optional().meta(sameAs('agent_id')),
      tag_ids: tagIds().optional().describe('only contacts that carry one of these tags now; up to 25 ids'),
      tagIds: tagIds().optional().meta(sameAs('tag_ids')),
      tag_match: z.enum(tagMatches).optional().meta({ description: 'any or all of the tags', defaultText: 'any' }),
      tagMatch: z.enum(tagMatches).optional().meta(sameAs('tag_match')),
      granularity: z.enum(granularities).optional().meta({ description: 'the steps of the daily breakdown', defaultText: 'day' }),
    })
    .refine((query) => (query.campaign_id ?? query.campaignId) === undefined || (query.agent_id ?? query.agentId) === undefined, oneScope);

const channel = () => z.enum(channelNames);

const dashboard = () =>
  z.object({
    startDate: z.string(),
    endDate: z.string(),
    heatmap: z.object({
      buckets: z.array(z.object({ weekday: z.int(), hour: z.int(), sent: z.int(), replied: z.int(), replyRate: figure() })),
    }),
    topCampaigns: z.array(
      z.object({
        campaignId: z.string(),
        name: z.string().nullable(),
        sent: z.int(),
        replied: z.int(),
        booked: z.int(),
        replyRate: figure(),
        creditsSpent: figure(),
      }),
    ),
    channelVolume: z.array(z.object({ channel: channel(), sent: z.int(), received: z.int(), lastMessageAt: timestamp().nullable() })),
    inboxSla: z.object({ medianFirstResponseMs: figure().nullable(), sampleSize: z.int() }),
    activityFeed: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        at: timestamp(),
        contactId: z.string().nullable(),
        contactName: z.string().nullable(),
        campaignId: z.string().nullable(),
        campaignName: z.string().nullable(),
        label: z.string(),
      }),
    ),
    numberStats: z
      .array(
        z.object({
          number: z.string(),
          sent: z.int(),
          delivered: z.int(),
          read: z.int(),
          received: z.int(),
          replied: z.int(),
          replyRate: figure(),
        }),
      )
      .nullable(),
    channelDailySeries: z
      .object({
        labels: z.array(z.string()),
        series: z.array(z.object({ channel: channel(), sent: z.array(z.int()), received: z.array(z.int()) })),
      })
      .nullable(),
    metricDailyBreakdown: z
      .object({
        granularity: z.enum(granularities),
        labels: z.array(z.string()),
        sent: z.array(z.int()),
        delivered: z.array(z.int()),
        read: z.array(z.int()),
        replied: z.array(z.int()),
        booked: z.array(z.int()),
        contact_created: z.array(z.int()),
        credits_spent: z.array(figure()),
      })
      .nullable(),
    contactsByCountry: z.array(z.object({ country: z.string().nullable(), contacts: z.int() })).nullable(),
    ai_human_split: z.object({ ai: z.int(), human: z.int(), automated: z.int() }).nullable(),
    conversation_outcomes: z.object({ sessions: z.int(), contained: z.int(), handed_off: z.int(), no_ai: z.int() }).nullable(),
  });

export type Dashboard = z.output<ReturnType<typeof dashboard>>;

export const getDashboard = endpoint({
  ...view,
  errors: [404, 'analytics_unavailable'],
  name: 'analytics.dashboard',
  path: '/analytics/dashboard-insights',
  summary: 'Show the figures of the dashboard',
  query: dashboardQuery,
  responses: { 200: () => z.object({ data: dashboard() }) },
});

export const insightTones = ['win', 'watch', 'tip'] as const;

export const getInsights = endpoint({
  ...view,
  errors: ['analytics_unavailable'],
  name: 'analytics.insights',
  path: '/analytics/dashboard-ai-insights',
  summary: 'Summarize what went well, what to watch and what to do next',
  query: () => z.object(days()),
  refusedQuery: scopeParameters,
  responses: {
    200: () =>
      z.object({
        data: z.object({ insights: z.array(z.object({ tone: z.enum(insightTones), title: z.string(), detail: z.string() })) }),
      }),
  },
});

export const dashboardEndpoints = [getDashboard, getInsights] as const;
