import type { getDashboard } from '../../../contract/areas/analytics/dashboard.ts';
import type { getAiCost, getConversationCosts, getOutcomes, getSeries, getSummary } from '../../../contract/areas/analytics/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { plainText } from '../../output/cell.ts';
import type { Chart, Line } from './charts.ts';
import { allSeries } from './rows.ts';

// What of the answers is drawn.

/** The counters of a summary that are not all zero, by day; messages sent in any case. */
export function summaryCharts({ totals, by_date: days }: Answer<typeof getSummary>): Chart[] {
  const figures = (Object.keys(totals) as (keyof typeof totals)[]).filter((figure) => figure === 'sent' || totals[figure] !== 0);
  const labels = days.map(({ date }) => date);
  return [
    {
      kind: 'lines',
      lines: figures
        .filter((figure) => figure !== 'total')
        .map((figure) => ({ title: figure, labels, values: days.map((day) => day[figure]) })),
    },
  ];
}

export function usdCharts({ days }: Answer<typeof getAiCost>): Chart[] {
  const labels = days.map(({ date }) => date);
  const line = (title: string, values: readonly number[]): Line => ({ title, labels, values });
  return [
    {
      kind: 'lines',
      lines: [
        line(
          'total_usd',
          days.map((day) => day.total_usd),
        ),
        line(
          'calls',
          days.map((day) => day.calls),
        ),
      ],
    },
  ];
}

/** A line for each metric of each series. */
export function seriesCharts(answer: Answer<typeof getSeries>): Chart[] {
  const { labels, metrics } = answer;
  const lines = allSeries(answer).flatMap(({ about, arrays }) =>
    metrics.map((metric) => {
      const names = Object.values(about).map((value) => plainText(value) || '(none)');
      return { title: names.length === 0 ? metric : `${metric}, ${names.join(' / ')}`, labels, values: arrays[metric] ?? [] };
    }),
  );
  return [{ kind: 'lines', lines }];
}

export function outcomeCharts({ by_tag: tags, totals }: Answer<typeof getOutcomes>): Chart[] {
  return [
    { kind: 'bars', title: 'Conversations by tag', bars: tags.map(({ tag, total }) => ({ label: tag ?? '(no tag)', value: total })) },
    { kind: 'bars', title: 'Outcomes', bars: Object.entries(totals).map(([label, value]) => ({ label, value })) },
  ];
}

export function costCharts({ summary }: Answer<typeof getConversationCosts>): Chart[] {
  const bars = (figure: 'sessions' | 'credits') => Object.entries(summary).map(([label, figures]) => ({ label, value: figures[figure] }));
  return [
    { kind: 'bars', title: 'Conversations', bars: bars('sessions') },
    { kind: 'bars', title: 'Credits', bars: bars('credits') },
  ];
}

/** The hours of the week, then who sent what. */
export function dashboardCharts({ data }: Answer<typeof getDashboard>): Chart[] {
  const week = Array.from({ length: 7 }, (_, weekday) =>
    Array.from(
      { length: 24 },
      (_, hour) => data.heatmap.buckets.find((bucket) => bucket.weekday === weekday && bucket.hour === hour)?.sent ?? 0,
    ),
  );
  const campaigns = data.topCampaigns.map(({ name, campaignId, sent }) => ({ label: name ?? campaignId ?? '', value: sent }));
  return [
    { kind: 'heat map', title: 'Messages sent by hour', values: week },
    {
      kind: 'bars',
      title: 'Messages sent by channel',
      bars: data.channelVolume.map(({ channel, sent }) => ({ label: channel, value: sent })),
    },
    {
      kind: 'bars',
      title: 'Messages received by channel',
      bars: data.channelVolume.map(({ channel, received }) => ({ label: channel, value: received })),
    },
    { kind: 'bars', title: 'Messages sent by campaign', bars: campaigns },
  ];
}
