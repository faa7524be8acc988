import type { Answer } from '../../../contract/endpoint.ts';
import {
  type getAiCost,
  type getConversationCosts,
  type getOutcomes,
  type getSeries,
  summaryFigures,
} from '../../../contract/areas/analytics/endpoints.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { sum } from '../../../contract/sum.ts';
import type { ResultRow } from '../../output/result.ts';

// The columns of reports. Scripts depend on them.
export const summaryColumns = ['date', ...Object.keys(summaryFigures())];
export const ledgerColumns = [
  'at',
  'reason',
  'credits',
  'cost_usd',
  'is_adjustment',
  'transfer_account_id',
  'transfer_account_name',
  'campaign_id',
  'campaign_name',
  'agent_id',
  'agent_name',
  'message_id',
  'id',
];
/** What a record adds to the balance, or takes from it: the opposite of `credits`. */
export const balanceChange = 'balance_change';
/** Tables have the names only. */
export const ledgerTable = [
  'at',
  'reason',
  balanceChange,
  'transfer_account_name',
  'agent_name',
  'campaign_name',
  'cost_usd',
  'is_adjustment',
  'message_id',
  'id',
];
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
export const providerColumns = ['date', 'provider', 'total_usd'];
export const costColumns = ['handling', 'sessions', 'credits', 'avg_credits', 'sessions_truncated'];
export const insightColumns = ['tone', 'title', 'detail'];
export const activityColumns = ['at', 'kind', 'label', 'id'] as const;

/** The kinds of records whose ids are in figures and in the ledger. */
export const namedKinds = ['campaign', 'agent'] as const;

export type Named = (typeof namedKinds)[number];

/** The columns with names, beside those with ids. */
export const nameColumns: readonly string[] = namedKinds.map((kind) => `${kind}_name`);

/** The columns of outcomes. Grouped by tag only, there is no date. */
export function outcomeColumns(groupBy: 'date' | 'tag'): string[] {
  return [...(groupBy === 'date' ? ['date'] : []), 'tag', 'conversations', 'tag_id'];
}

/** The key of the series that combines those that did not fit. */
export const other = '(other)';

/** The name of conversations whose contacts carry no tag. */
export const noTag = '(no tag)';

export type Series = Answer<typeof getSeries>;

/** A series with the names of campaigns or agents by id, to be shown beside the ids. */
export type NamedSeries = Series & { readonly names?: ReadonlyMap<Dimension, ReadonlyMap<string, string | null>> };

type Dimension = Exclude<Series['group_by'][number], 'date'>;

/** What the series are grouped by, apart from the date. */
export function dimensionsOf({ group_by: groups }: Series): Dimension[] {
  return groups.filter((group) => group !== 'date');
}

/** The columns that say what a series is about: what it is grouped by, and the names beside ids. */
export function keyColumns(answer: NamedSeries): string[] {
  return dimensionsOf(answer).flatMap((dimension) => (answer.names?.has(dimension) ? [dimension, `${dimension}_name`] : [dimension]));
}

/** A time series in long form: one row for each label and key, one column for each metric. */
export function seriesRows(answer: NamedSeries): ResultRow[] {
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
export function allSeries(answer: NamedSeries): { about: ResultRow; arrays: Readonly<Record<string, readonly number[]>> }[] {
  const { series, other_bucket: rest } = answer;
  return [
    ...series.map(({ key, metrics }) => ({ about: aboutSeries(answer, key), arrays: metrics })),
    ...(rest ? [{ about: aboutRest(answer), arrays: rest.metrics }] : []),
  ];
}

function aboutSeries(answer: NamedSeries, key: Series['series'][number]['key']): ResultRow {
  return Object.fromEntries(
    dimensionsOf(answer).flatMap((dimension) => {
      const id = key[dimension] ?? null;
      const names = answer.names?.get(dimension);
      return names ? [[dimension, id] as const, [`${dimension}_name`, names.get(id ?? '') ?? null] as const] : [[dimension, id] as const];
    }),
  );
}

/** Figures of a period by name, and what they are about: empty for the total, or for example `{ channel: 'sms' }`. */
export interface Totals {
  readonly about: ResultRow;
  readonly figures: Readonly<Record<string, number>>;
}

/** The sum of each series by metric, without the one that combines the rest. */
export function seriesTotals(answer: NamedSeries): Totals[] {
  return allSeries({ ...answer, other_bucket: null }).map(({ about, arrays }) => ({ about, figures: arraySums(answer, arrays) }));
}

/** The sum of the combined rest by metric; 0 if there is no rest. */
export function restTotals(answer: NamedSeries): Totals {
  return { about: aboutRest(answer), figures: arraySums(answer, answer.other_bucket?.metrics ?? {}) };
}

/** What the combined rest is about. */
function aboutRest(answer: NamedSeries): ResultRow {
  return Object.fromEntries(keyColumns(answer).map((column) => [column, other]));
}

function arraySums({ metrics }: Series, arrays: Readonly<Record<string, readonly number[]>>): Record<string, number> {
  return Object.fromEntries(metrics.map((metric) => [metric, sumOf(arrays[metric] ?? [])]));
}

/** The sum of numbers, rounded to 6 decimal places. */
export function sumOf(numbers: readonly number[]): number {
  return Math.round(sum(numbers) * 1e6) / 1e6;
}

/** The columns of a time series in long form. */
export function seriesColumns(answer: NamedSeries): string[] {
  return ['date', ...keyColumns(answer), ...answer.metrics];
}

/** Conversations by tag; grouped by date, one row for each label and tag. */
export function outcomeRows({ labels, by_tag: tags }: Answer<typeof getOutcomes>): ResultRow[] {
  if (labels.length === 0) return tags.map(({ tag_id, tag, total }) => ({ tag_id, tag, conversations: total }));
  return tags.flatMap(({ tag_id, tag, counts }) => labels.map((date, index) => ({ date, tag_id, tag, conversations: counts[index] ?? 0 })));
}

/** Outcomes with a name for conversations without a tag, for tables. A tag of this name has its id added. */
export function withNameOfNoTag(answer: Answer<typeof getOutcomes>): Answer<typeof getOutcomes> {
  const nameOf = ({ tag_id: id, tag }: (typeof answer.by_tag)[number]) => (id === null ? noTag : tag === noTag ? `${tag} (${id})` : tag);
  return { ...answer, by_tag: answer.by_tag.map((tag) => ({ ...tag, tag: nameOf(tag) })) };
}

/** The costs of AI calls by provider: one row for each day and provider. */
export function providerRows({ days }: Answer<typeof getAiCost>): ResultRow[] {
  const providers = providersIn(days);
  return days.flatMap(({ date, by_provider: costs }) => providers.map((provider) => ({ date, provider, total_usd: costs[provider] ?? 0 })));
}

/** The costs of each provider. */
export function providerTotals({ days }: Answer<typeof getAiCost>): Totals[] {
  return providersIn(days).map((provider) => ({
    about: { provider },
    figures: { total_usd: sumOf(days.map(({ by_provider: costs }) => costs[provider] ?? 0)) },
  }));
}

function providersIn(days: Answer<typeof getAiCost>['days']): string[] {
  return [...new Set(days.flatMap(({ by_provider: costs }) => Object.keys(costs)))].sort(compareTexts);
}

/** The costs of conversations by how they were handled. */
export function costRows({ summary, sessions_truncated }: Answer<typeof getConversationCosts>): ResultRow[] {
  return Object.entries(summary).map(([handling, figures]) => ({ handling, ...figures, sessions_truncated }));
}

/** The conversations of each tag. */
export function outcomeTotals({ by_tag: tags }: Answer<typeof getOutcomes>): Totals[] {
  return tags.map(({ tag, total }) => ({ about: { tag }, figures: { conversations: total } }));
}

/** The figures of conversations by how they were handled. */
export function costTotals({ summary }: Answer<typeof getConversationCosts>): Totals[] {
  return Object.entries(summary).map(([handling, figures]) => ({ about: { handling }, figures }));
}
