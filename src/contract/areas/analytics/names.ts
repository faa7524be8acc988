/** The metrics that a series can show (rule analytics.22). */
export const metricNames = [
  'sent',
  'ai_sent',
  'human_sent',
  'automated_sent',
  'delivered',
  'read',
  'replied',
  'booked',
  'contact_created',
  'credits_spent',
  'conversations',
  'conversation_credits',
] as const;

export type Metric = (typeof metricNames)[number];

/** The metrics that a series shows by default. */
export const defaultMetrics = ['sent', 'replied'] as const satisfies readonly Metric[];

/** What a series can be grouped by. `date` has no effect, because every series is by date. */
export const groupings = ['date', 'campaign', 'channel', 'agent', 'number'] as const;

export type Grouping = (typeof groupings)[number];

export const granularities = ['day', 'week', 'month'] as const;

export type Granularity = (typeof granularities)[number];

/** The widest ranges, in days, both ends included. */
export const rangeCaps = { ledger: 366, series: 92, conversations: 31 } as const;

/** Maximum number of tags in outcomes: those with the most conversations. */
export const outcomeTagsMax = 20;

/** Maximum number of campaigns in the dashboard: those that sent the most messages. */
export const topCampaignsMax = 10;

/** The maximum number of conversations whose first responses give the median; the latest ones are used. */
export const responsesMax = 5_000;

/** The number of records from which figures are marked as `truncated`. */
export const recordsMax = 1_000_000;

/** The number of conversations from which their costs are marked as `sessions_truncated`. */
export const sessionsMax = 20_000;
