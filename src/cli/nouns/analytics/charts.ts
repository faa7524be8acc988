import type { Dashboard, getDashboard } from '../../../contract/areas/analytics/dashboard.ts';
import type { getAiCost, getConversationCosts, getOutcomes, getSeries, getSummary } from '../../../contract/areas/analytics/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { plainText } from '../../output/cell.ts';
import { allSeries } from './rows.ts';

// Converts responses to charts as data. They are drawn on a terminal (`drawing.ts`) and on the page of the report.

/** A figure over time. Each figure has its own chart, so that no colours are needed to distinguish lines. */
export interface Lines {
  readonly kind: 'lines';
  readonly lines: readonly Line[];
}

export interface Line {
  readonly title: string;
  /** The days, as YYYY-MM-DD. */
  readonly labels: readonly string[];
  readonly values: readonly number[];
  /** The upper end of the scale; by default, the highest value. */
  readonly highest?: number;
}

/** A bar chart of figures. */
export interface Bars {
  readonly kind: 'bars';
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

/** A figure by weekday, starting with Sunday, and hour. */
export interface HeatMap {
  readonly kind: 'heat map';
  readonly title: string;
  readonly values: readonly (readonly number[])[];
}

/** The days of a heat map, in order. */
export const heatMapDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The contents of a chart, independent of how it is drawn. */
export type Chart = Lines | Bars | HeatMap;

/** Daily charts of the figures in a summary that are not all zero. Sent messages are always included. */
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

/** The daily cost of AI in US dollars. */
export function usdCharts({ days }: Answer<typeof getAiCost>): Chart[] {
  const labels = days.map(({ date }) => date);
  const costs = days.map((day) => day.total_usd);
  const calls = days.map((day) => day.calls);
  return [
    {
      kind: 'lines',
      lines: [
        { title: 'total_usd', labels, values: costs },
        { title: 'calls', labels, values: calls },
      ],
    },
  ];
}

/** One line for each metric of each series. */
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

/** Bars of the conversations with each tag, and of each outcome. */
export function outcomeCharts({ by_tag: tags, totals }: Answer<typeof getOutcomes>): Chart[] {
  return [
    bars('Conversations by tag', tags, ({ tag, total }) => [tag ?? '(no tag)', total]),
    bars('Outcomes', Object.entries(totals), (entry) => entry),
  ];
}

/** Bars of the conversations and of their credits, by how they were handled. */
export function costCharts({ summary }: Answer<typeof getConversationCosts>): Chart[] {
  const handled = Object.entries(summary);
  return [
    bars('Conversations', handled, ([how, { sessions }]) => [how, sessions]),
    bars('Credits', handled, ([how, { credits }]) => [how, credits]),
  ];
}

/** Charts of the days, the hours of the week, and of who sent, answered and wrote. Blocks that are not available are left out. */
export function dashboardCharts({ data }: Answer<typeof getDashboard>): Chart[] {
  const { metricDailyBreakdown: daily, heatmap, channelVolume: channels, topCampaigns: campaigns } = data;
  const week = Array.from({ length: 7 }, (_, weekday) =>
    Array.from(
      { length: 24 },
      (_, hour) => heatmap.buckets.find((bucket) => bucket.weekday === weekday && bucket.hour === hour)?.sent ?? 0,
    ),
  );
  return [
    ...(daily ? [dailyChart(daily)] : []),
    { kind: 'heat map', title: 'Messages sent by hour', values: week },
    bars('Messages sent by channel', channels, ({ channel, sent }) => [channel, sent]),
    bars('Messages received by channel', channels, ({ channel, received }) => [channel, received]),
    bars('Messages sent by campaign', campaigns, ({ name, campaignId, sent }) => [name ?? campaignId, sent]),
    ...entryBars('Messages by sender', data.ai_human_split),
    ...entryBars('Conversations by outcome', outcomesOf(data.conversation_outcomes)),
    ...(data.contactsByCountry
      ? [bars('Contacts by country', data.contactsByCountry, ({ country, contacts }) => [country ?? '(none)', contacts])]
      : []),
  ];
}

function dailyChart({ labels, sent, replied }: NonNullable<Dashboard['metricDailyBreakdown']>): Chart {
  return {
    kind: 'lines',
    lines: [
      { title: 'Messages sent', labels, values: sent },
      { title: 'Replies', labels, values: replied },
    ],
  };
}

function bars<Item>(title: string, items: readonly Item[], barOf: (item: Item) => readonly [label: string, value: number]): Chart {
  return {
    kind: 'bars',
    title,
    bars: items.map((item) => {
      const [label, value] = barOf(item);
      return { label, value };
    }),
  };
}

/** The outcomes without their sum. */
function outcomesOf(outcomes: Dashboard['conversation_outcomes']) {
  return outcomes && { contained: outcomes.contained, 'handed off': outcomes.handed_off, 'no AI': outcomes.no_ai };
}

function entryBars(title: string, figures: Readonly<Record<string, number>> | null): Chart[] {
  return figures ? [bars(title, Object.entries(figures), (entry) => entry)] : [];
}

/** The charts of a period, each followed by the same chart of the previous period. */
export function paired(current: readonly Chart[], previous: readonly Chart[]): Chart[] {
  return current.flatMap((chart, index) => {
    const before = previous[index];
    if (!before) return [chart];
    if (chart.kind === 'lines' && before.kind === 'lines')
      return [{ kind: 'lines', lines: chart.lines.flatMap((line) => pairOf(line, before.lines)) }];
    return [chart, before.kind === 'lines' ? before : { ...before, title: `${before.title}, the period before` }];
  });
}

function pairOf(line: Line, previous: readonly Line[]): Line[] {
  const before = previous.find(({ title }) => title === line.title);
  if (!before) return [line];
  // Both use the same scale, so that they can be compared.
  const highest = Math.max(...line.values, ...before.values, 0);
  return [
    { ...line, highest },
    { ...before, title: `${before.title}, the period before`, highest },
  ];
}
