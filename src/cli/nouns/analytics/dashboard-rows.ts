import type { Dashboard, getDashboard } from '../../../contract/areas/analytics/dashboard.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { ResultRow } from '../../output/result.ts';
import { heatMapDays } from './charts.ts';
import { sumOf } from './rows.ts';

/** The columns of the dashboard in long form. Each block has some of the figures. Scripts depend on them. */
export const dashboardColumns = [
  'block',
  'date',
  'key',
  'campaign_name',
  'sent',
  'received',
  'delivered',
  'read',
  'replied',
  'reply_rate',
  'booked',
  'contacts',
  'credits_spent',
  'ai',
  'human',
  'automated',
  'sessions',
  'contained',
  'handed_off',
  'no_ai',
  'median_first_response_ms',
  'sample_size',
];

/**
 * The dashboard in long form: one row for each block, date and key, and one column for each figure. The feed of activities has
 * no figures and is left out, and so are blocks that are not available.
 */
export function dashboardRows({ data }: Answer<typeof getDashboard>): ResultRow[] {
  const { medianFirstResponseMs, sampleSize } = data.inboxSla;
  return [
    ...dailyRows(data),
    ...channelRows(data),
    ...data.heatmap.buckets.map(({ weekday, hour, sent, replied, replyRate }) => {
      const key = `${heatMapDays[weekday] ?? ''} ${String(hour).padStart(2, '0')}:00`;
      return { block: 'heatmap', key, sent, replied, reply_rate: replyRate };
    }),
    ...data.topCampaigns.map(({ campaignId, name, sent, replied, booked, replyRate, creditsSpent }) => {
      return {
        block: 'topCampaigns',
        key: campaignId,
        campaign_name: name,
        sent,
        replied,
        booked,
        reply_rate: replyRate,
        credits_spent: creditsSpent,
      };
    }),
    ...data.channelVolume.map(({ channel, sent, received }) => ({ block: 'channelVolume', key: channel, sent, received })),
    ...(data.numberStats ?? []).map(({ number, replyRate, ...figures }) => {
      return { block: 'numberStats', key: number, ...figures, reply_rate: replyRate };
    }),
    ...(data.contactsByCountry ?? []).map(({ country, contacts }) => ({ block: 'contactsByCountry', key: country, contacts })),
    ...(data.ai_human_split ? [{ block: 'ai_human_split', ...data.ai_human_split }] : []),
    ...(data.conversation_outcomes ? [{ block: 'conversation_outcomes', ...data.conversation_outcomes }] : []),
    { block: 'inboxSla', median_first_response_ms: medianFirstResponseMs, sample_size: sampleSize },
  ];
}

/** The columns of the totals. */
export const dashboardTotalColumns = ['sent', 'delivered', 'read', 'replied', 'booked', 'contacts', 'credits_spent'];

/** The totals of the days in one row, for comparing accounts. */
export function dashboardTotals({ data }: Answer<typeof getDashboard>): ResultRow[] {
  const days = dailyRows(data);
  const totalOf = (column: string) => sumOf(days.flatMap((day) => (typeof day[column] === 'number' ? [day[column]] : [])));
  return [Object.fromEntries(dashboardTotalColumns.map((column) => [column, totalOf(column)]))];
}

function dailyRows({ metricDailyBreakdown: daily }: Dashboard): ResultRow[] {
  if (!daily) return [];
  const { labels, granularity: _, contact_created: contacts, ...metrics } = daily;
  return labels.map((date, index) => ({
    block: 'metricDailyBreakdown',
    date,
    contacts: contacts[index],
    ...Object.fromEntries(Object.entries(metrics).map(([metric, values]) => [metric, values[index]])),
  }));
}

function channelRows({ channelDailySeries: daily }: Dashboard): ResultRow[] {
  return (daily?.series ?? []).flatMap(({ channel, sent, received }) =>
    (daily?.labels ?? []).map((date, index) => {
      return { block: 'channelDailySeries', date, key: channel, sent: sent[index], received: received[index] };
    }),
  );
}
