import type { Answer } from '../../../contract/endpoint.ts';
import {
  type getConversationCosts,
  type getOutcomes,
  type getSeries,
  summaryFigures,
} from '../../../contract/areas/analytics/endpoints.ts';
import { sum } from '../../../contract/sum.ts';
import type { Row } from '../../output/result.ts';

// The columns of reports. Scripts depend on them.
export const summaryColumns = ['date', ...Object.keys(summaryFigures())];
export const ledgerColumns = [
  'at',
  'reason',
  'credits',
  'cost_usd',
  'is_adjustment',
  'campaign_id',
  'agent_id',
  'message_id',
  'id',
] as const;
export const aiCostColumns = [
  'date',
  'calls',
  'total_usd',
  'input_usd',
  'output_usd',
  'cache_creation_usd',
  'cache_read_usd',
  'byok_usd',
  'platform_usd',
];
export const costColumns = ['handling', 'sessions', 'credits', 'avg_credits'];
export const insightColumns = ['tone', 'title', 'detail'];
export const activityColumns = ['at', 'kind', 'label', 'id'] as const;

/** The columns of outcomes. Grouped by tag only, there is no date. */
export function outcomeColumns(groupBy: 'date' | 'tag'): string[] {
  return [...(groupBy === 'date' ? ['date'] : []), 'tag', 'conversations', 'tag_id'];
}

/** The key of the series that combines those that did not fit. */
export const other = '(other)';

/** The name of conversations whose contacts carry no tag. */
export const noTag = '(no tag)';

/** What the series are grouped by, apart from the date. */
export function dimensionsOf({ group_by: groups }: Answer<typeof getSeries>): Dimension[] {
  return groups.filter((group) => group !== 'date');
}

type Dimension = Exclude<Answer<typeof getSeries>['group_by'][number], 'date'>;

/** A time series in long form: one row for each label and key, one column for each metric. */
export function seriesRows(answer: Answer<typeof getSeries>): Row[] {
  const { labels, metrics } = answer;
  return allSeries(answer).flatMap(({ about, arrays }) =>
    labels.map((date, index) => ({
      date,
      ...about,
      ...Object.fromEntries(metrics.map((metric) => [metric, arrays[metric]?.[index] ?? 0])),
    })),
  );
}

/** All series including the one that combines the rest, and what each is about. */
export function allSeries(answer: Answer<typeof getSeries>): { about: Row; arrays: Readonly<Record<string, readonly number[]>> }[] {
  const { series, other_bucket: rest } = answer;
  const dimensions = dimensionsOf(answer);
  return [
    ...series.map(({ key, metrics }) => ({
      about: Object.fromEntries(dimensions.map((dimension) => [dimension, key[dimension] ?? null])),
      arrays: metrics,
    })),
    ...(rest ? [{ about: aboutRest(answer), arrays: rest.metrics }] : []),
  ];
}

/** Figures of a period by name, and what they are about: empty for the total, or for example `{ channel: 'sms' }`. */
export interface Totals {
  readonly about: Row;
  readonly figures: Readonly<Record<string, number>>;
}

/** The sum of each series by metric, without the one that combines the rest. */
export function seriesTotals(answer: Answer<typeof getSeries>): Totals[] {
  return allSeries({ ...answer, other_bucket: null }).map(({ about, arrays }) => ({ about, figures: arraySums(answer, arrays) }));
}

/** The sum of the combined rest by metric; 0 if there is no rest. */
export function restTotals(answer: Answer<typeof getSeries>): Totals {
  return { about: aboutRest(answer), figures: arraySums(answer, answer.other_bucket?.metrics ?? {}) };
}

/** What the combined rest is about. */
function aboutRest(answer: Answer<typeof getSeries>): Row {
  return Object.fromEntries(dimensionsOf(answer).map((dimension) => [dimension, other]));
}

function arraySums({ metrics }: Answer<typeof getSeries>, arrays: Readonly<Record<string, readonly number[]>>): Record<string, number> {
  return Object.fromEntries(metrics.map((metric) => [metric, sumOf(arrays[metric] ?? [])]));
}

/** The sum of numbers, rounded to 6 decimal places. */
export function sumOf(numbers: readonly number[]): number {
  return Math.round(sum(numbers) * 1e6) / 1e6;
}

/** The columns of a time series in long form. */
export function seriesColumns(answer: Answer<typeof getSeries>): string[] {
  return ['date', ...dimensionsOf(answer), ...answer.metrics];
}

/** Conversations by tag; grouped by date, one row for each label and tag. */
export function outcomeRows({ labels, by_tag: tags }: Answer<typeof getOutcomes>): Row[] {
  if (labels.length === 0) return tags.map(({ tag_id, tag, total }) => ({ tag_id, tag, conversations: total }));
  return tags.flatMap(({ tag_id, tag, counts }) => labels.map((date, index) => ({ date, tag_id, tag, conversations: counts[index] ?? 0 })));
}

/** Outcomes with a name for conversations without a tag, for tables. A tag of this name has its id added. */
export function withNameOfNoTag(answer: Answer<typeof getOutcomes>): Answer<typeof getOutcomes> {
  const nameOf = ({ tag_id: id, tag }: (typeof answer.by_tag)[number]) => (id === null ? noTag : tag === noTag ? `${tag} (${id})` : tag);
  return { ...answer, by_tag: answer.by_tag.map((tag) => ({ ...tag, tag: nameOf(tag) })) };
}

/** The costs of conversations by how they were handled. */
export function costRows({ summary }: Answer<typeof getConversationCosts>): Row[] {
  return Object.entries(summary).map(([handling, figures]) => ({ handling, ...figures }));
}

/** The conversations of each tag. */
export function outcomeTotals({ by_tag: tags }: Answer<typeof getOutcomes>): Totals[] {
  return tags.map(({ tag, total }) => ({ about: { tag }, figures: { conversations: total } }));
}

/** The figures of conversations by how they were handled. */
export function costTotals({ summary }: Answer<typeof getConversationCosts>): Totals[] {
  return Object.entries(summary).map(([handling, figures]) => ({ about: { handling }, figures }));
}
