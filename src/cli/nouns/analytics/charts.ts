import type { Dashboard, getDashboard } from '../../../contract/areas/analytics/dashboard.ts';
import type { getAiCost, getConversationCosts, getOutcomes, getSeries, getSummary } from '../../../contract/areas/analytics/endpoints.ts';
import { topCampaignsMax } from '../../../contract/areas/analytics/names.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { plainText } from '../../output/cell.ts';
import { allSeries, noTag } from './rows.ts';

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
  /** The ends of the scale; by default, those of the values. */
  readonly scale?: Scale;
  /** Whether it is left out when all its values are 0. */
  readonly isMinor?: boolean;
}

/** The ends of a scale. It includes 0; a sum of credits is below 0 on a day of refunds. */
export interface Scale {
  readonly lowest: number;
  readonly highest: number;
}

/** The scale on which values are drawn. */
export function scaleOf(values: readonly number[]): Scale {
  return { lowest: Math.min(...values, 0), highest: Math.max(...values, 0) };
}

/** A bar chart of figures. */
export interface Bars {
  readonly kind: 'bars';
  readonly title: string;
  readonly bars: readonly Bar[];
  /** The value of the longest bar; by default, the largest value. */
  readonly longest?: number;
}

interface Bar {
  readonly label: string;
  readonly value: number;
  /** Further figures, for the table behind the chart. */
  readonly details?: Details;
}

type Details = Readonly<Record<string, string | number>>;

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

/** The text for a chart that would be empty. */
export const nothing = 'Nothing happened on these days.';

/** Daily charts of the figures in a summary. All but sent messages are left out when they are 0. */
export function summaryCharts({ totals, by_date: days }: Answer<typeof getSummary>): Chart[] {
  const figures = Object.keys(totals) as (keyof typeof totals)[];
  const labels = days.map(({ date }) => date);
  return [
    {
      kind: 'lines',
      lines: figures
        .filter((figure) => figure !== 'total')
        .map((figure) => ({ title: figure, labels, values: days.map((day) => day[figure]), isMinor: figure !== 'sent' })),
    },
  ];
}

/** The daily cost of AI in US dollars, unless it is redacted, and the number of calls. */
export function usdCharts({ days, costs_redacted: isRedacted }: Answer<typeof getAiCost>): Chart[] {
  const labels = days.map(({ date }) => date);
  const costs = { title: 'total_usd', labels, values: days.map((day) => day.total_usd) };
  const calls = { title: 'calls', labels, values: days.map((day) => day.calls) };
  return [{ kind: 'lines', lines: isRedacted ? [calls] : [costs, calls] }];
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
    bars('Conversations by tag', tags, ({ tag, total }) => [tag ?? noTag, total]),
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
  return [...dailyCharts(data, ['sent', 'replied']), weekChart('Messages sent by hour', data, 'sent'), ...rankings(data)];
}

/** Charts of all figures of the dashboard, for a page. Contacts are left out under a campaign, because they belong to none. */
export function reportCharts({ data }: Answer<typeof getDashboard>): Chart[] {
  const figures = (Object.keys(dailyTitles) as DailyFigure[]).filter((figure) => figure !== 'contact_created' || data.contactsByCountry);
  return [
    ...dailyCharts(data, figures),
    weekChart('Messages sent by hour', data, 'sent'),
    weekChart('Replies by hour', data, 'replied'),
    ...channelCharts(data),
    ...rankings(data),
  ];
}

const dailyTitles = {
  sent: 'Messages sent',
  delivered: 'Delivered',
  read: 'Read',
  replied: 'Replies',
  booked: 'Booked',
  contact_created: 'New contacts',
  credits_spent: 'Credits spent',
} as const;

type DailyFigure = keyof typeof dailyTitles;

function dailyCharts({ metricDailyBreakdown: daily }: Dashboard, figures: readonly DailyFigure[]): Chart[] {
  if (!daily) return [];
  return [{ kind: 'lines', lines: figures.map((figure) => ({ title: dailyTitles[figure], labels: daily.labels, values: daily[figure] })) }];
}

function weekChart(title: string, { heatmap }: Dashboard, figure: 'sent' | 'replied'): Chart {
  const ofHour = (weekday: number, hour: number) =>
    heatmap.buckets.find((bucket) => bucket.weekday === weekday && bucket.hour === hour)?.[figure] ?? 0;
  const values = heatMapDays.map((_, weekday) => Array.from({ length: 24 }, (_, hour) => ofHour(weekday, hour)));
  return { kind: 'heat map', title, values };
}

function channelCharts({ channelDailySeries: daily }: Dashboard): Chart[] {
  if (!daily) return [];
  const lines = daily.series.flatMap(({ channel, sent, received }) => [
    { title: `Messages sent, ${channel}`, labels: daily.labels, values: sent },
    { title: `Messages received, ${channel}`, labels: daily.labels, values: received },
  ]);
  return [{ kind: 'lines', lines }];
}

/** Bars of who sent and received, and of how conversations ended. */
function rankings(data: Dashboard): Chart[] {
  const { channelVolume: channels, numberStats: numbers, contactsByCountry: countries } = data;
  const campaigns = withUniqueNames(data.topCampaigns);
  return [
    bars('Messages sent by channel', channels, ({ channel, sent }) => [channel, sent]),
    bars('Messages received by channel', channels, ({ channel, received, lastMessageAt }) => [
      channel,
      received,
      { 'Last message': lastMessageAt === null ? 'none' : timeText(lastMessageAt) },
    ]),
    bars(
      campaigns.length < topCampaignsMax ? 'Messages sent by campaign' : `Messages sent by campaign: the top ${topCampaignsMax}`,
      campaigns,
      ({ name, sent, replied, replyRate, booked, creditsSpent }) => [
        name,
        sent,
        { Replies: replied, 'Reply rate': percent(replyRate), Booked: booked, 'Credits spent': creditsSpent },
      ],
    ),
    bars('Messages sent by number', numbers ?? [], ({ number, sent, delivered, read, received, replied, replyRate }) => [
      number,
      sent,
      { Delivered: delivered, Read: read, Received: received, Replies: replied, 'Reply rate': percent(replyRate) },
    ]),
    ...entryBars('Messages by sender', data.ai_human_split),
    ...entryBars('Conversations by outcome', outcomesOf(data.conversation_outcomes)),
    ...(countries ? [bars('Contacts by country', countries, ({ country, contacts }) => [country ?? '(none)', contacts])] : []),
  ];
}

type Campaign = Dashboard['topCampaigns'][number];

/** Campaigns with a name for each: where two have the same, with the id. */
function withUniqueNames(campaigns: readonly Campaign[]): (Campaign & { name: string })[] {
  const nameOf = ({ name, campaignId: id }: Campaign) => {
    if (name === null) return id;
    return campaigns.filter((each) => each.name === name).length > 1 ? `${name} (${id})` : name;
  };
  return campaigns.map((campaign) => ({ ...campaign, name: nameOf(campaign) }));
}

/** An instant to the minute, such as `2027-03-01 09:30`. */
export const timeText = (at: string) => at.slice(0, 16).replace('T', ' ');

const percent = (share: number) => `${Math.round(share * 100)} %`;

function bars<Item>(
  title: string,
  items: readonly Item[],
  barOf: (item: Item) => readonly [label: string, value: number, details?: Details],
): Chart {
  return {
    kind: 'bars',
    title,
    bars: items.map((item) => {
      const [label, value, details = {}] = barOf(item);
      return { label, value, details };
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

/** The charts of a period, each followed by the same chart of the previous period, on the same scale, if there is one. */
export function paired(current: readonly Chart[], previous: readonly Chart[] = []): Chart[] {
  return current.flatMap((chart, index): Chart[] => {
    const before = previous[index];
    if (chart.kind === 'lines') return [pairLines(chart, before?.kind === 'lines' ? before : undefined)];
    if (chart.kind === 'bars' && before?.kind === 'bars') return pairBars(chart, before);
    return before && before.kind !== 'lines' ? [chart, { ...before, title: titleBefore(before) }] : [chart];
  });
}

const titleBefore = ({ title }: { readonly title: string }) => `${title}, the period before`;

function pairLines({ lines }: Lines, before: Lines = { kind: 'lines', lines: [] }): Lines {
  const pairs = Map.groupBy([...lines, ...before.lines], ({ title }) => title).values();
  const shown = pairs.filter((pair) => !pair.every(({ isMinor, values }) => isMinor && values.every((value) => value === 0)));
  return {
    kind: 'lines',
    lines: [...shown].flatMap((pair) => {
      const scale = scaleOf(pair.flatMap(({ values }) => values));
      return pair.map((line) => ({ ...line, scale, title: before.lines.includes(line) ? titleBefore(line) : line.title }));
    }),
  };
}

function pairBars(chart: Bars, before: Bars): Bars[] {
  const longest = Math.max(...[...chart.bars, ...before.bars].map(({ value }) => value));
  return [
    { ...chart, longest },
    { ...before, longest, title: titleBefore(before) },
  ];
}
