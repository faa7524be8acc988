import { outcomeTagsMax, recordsMax, sessionsMax } from '../../../contract/areas/analytics/names.ts';
import type { getAiCost, getConversationCosts, getLedger, getOutcomes, getSummary } from '../../../contract/areas/analytics/endpoints.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { roundHalfEven } from '../../../contract/rounding.ts';
import { usageError } from '../../errors.ts';
import { type Series, sumOf } from './rows.ts';

// Joins the responses for parts of a range, oldest first, to a response for the whole range.

type Numbers = Readonly<Record<string, number>>;

/** Sums up objects field by field. Missing fields count as 0. */
function fieldSums<Fields extends Numbers>(parts: readonly Fields[]): Fields {
  const names = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  return Object.fromEntries(names.map((name) => [name, sumOf(parts.map((part) => part[name] ?? 0))])) as Fields;
}

/** The whole range of days. */
function period(parts: readonly { readonly from: string; readonly to: string }[]) {
  return { from: parts[0]?.from ?? '', to: parts.at(-1)?.to ?? '' };
}

const isAnyTruncated = (parts: readonly { readonly truncated: boolean }[]) => parts.some(({ truncated }) => truncated);

/** Joins the responses for parts of a range by adding up their figures. */
export function joinSummary(parts: readonly Answer<typeof getSummary>[]): Answer<typeof getSummary> {
  const totals = fieldSums(parts.map((part) => part.totals));
  return {
    ...period(parts),
    totals,
    by_date: parts.flatMap(({ by_date: days }) => days),
    truncated: isAnyTruncated(parts) || totals.total > recordsMax,
  };
}

/** Joins the responses for parts of a range: days are concatenated, totals added up. */
export function joinAiCost(parts: readonly Answer<typeof getAiCost>[]): Answer<typeof getAiCost> {
  return {
    ...period(parts),
    totals: fieldSums(parts.map(({ totals }) => totals)),
    days: parts.flatMap(({ days }) => days),
    costs_redacted: parts.some(({ costs_redacted: redacted }) => redacted),
  };
}

/** The fields of a ledger response other than the records, on the first page. */
type LedgerTotals = Omit<Answer<typeof getLedger>, 'records' | 'next_cursor'>;

/** Joins the totals of parts of a range, map by map. */
export function joinLedgerTotals(parts: readonly LedgerTotals[]): LedgerTotals {
  const totals = fieldSums(parts.flatMap((part) => part.totals ?? []));
  return {
    ...period(parts),
    totals,
    by_reason: fieldSums(parts.map(({ by_reason: map }) => map ?? {})),
    by_reason_cost: fieldSums(parts.map(({ by_reason_cost: map }) => map ?? {})),
    by_campaign: fieldSums(parts.map(({ by_campaign: map }) => map ?? {})),
    costs_redacted: parts.some(({ costs_redacted: redacted }) => redacted),
    truncated: isAnyTruncated(parts) || totals.records > recordsMax,
  };
}

/**
 * Joins time series. The parts must be complete, because the largest series of a part need not be the largest of the whole
 * range.
 * @param limit number of series to keep
 * @throws CliError 2 if a part left series out
 */
export function joinSeries(parts: readonly Series[], limit: number): Series {
  if (parts.some(({ other_bucket: rest }) => rest !== null))
    throw usageError(
      'The range needs several requests, and one of them has too many series to add up',
      'Choose a shorter range, or add a filter.',
    );
  const { granularity, group_by: groups, metrics } = parts[0] as Series;
  const all = new Map<string, Series['series'][number]['key']>();
  for (const { series } of parts) for (const { key } of series) all.set(JSON.stringify(key), key);
  const joined = [...all].map(([name, key]) => {
    const ofParts = parts.map(({ series, labels }) => ({
      arrays: series.find((each) => JSON.stringify(each.key) === name)?.metrics ?? {},
      empty: labels.map(() => 0),
    }));
    const arrays = Object.fromEntries(metrics.map((metric) => [metric, ofParts.flatMap(({ arrays, empty }) => arrays[metric] ?? empty)]));
    return { key, total: sumOf(Object.values(arrays).flat()), metrics: arrays };
  });
  joined.sort((one, other) => other.total - one.total || compareTexts(JSON.stringify(one.key), JSON.stringify(other.key)));
  const rest = joined.slice(limit);
  return {
    ...period(parts),
    granularity,
    labels: parts.flatMap(({ labels }) => labels),
    group_by: groups,
    metrics,
    series: joined.slice(0, limit),
    other_bucket: rest.length === 0 ? null : addUp(rest, metrics),
    truncated: rest.length > 0,
  };
}

/**
 * Gives two periods the same series: the largest ones of both together. The others are added to the rest of each period. A series
 * that a period does not have is 0 in it; it is left out if it can be in the rest.
 * @param most how many to keep
 */
export function alignSeries(current: Series, previous: Series, most: number): [Series, Series] {
  const nameOf = ({ key }: Series['series'][number]) => JSON.stringify(key);
  const every = Map.groupBy([...current.series, ...previous.series], nameOf);
  const sizes = [...every].map(([name, found]) => ({ name, size: sumOf(found.map(({ total }) => total)) }));
  const kept = sizes.toSorted((one, other) => other.size - one.size).slice(0, most);
  const hasRest = sizes.length > kept.length || [current, previous].some(({ other_bucket: rest }) => rest !== null);
  const align = (period: Series): Series => {
    const { labels, metrics, series, other_bucket: rest } = period;
    const empty = { key: {}, total: 0, metrics: Object.fromEntries(metrics.map((metric) => [metric, labels.map(() => 0)])) };
    const own = kept.flatMap(({ name }) => {
      const missing = rest ? [] : { ...empty, key: (every.get(name) as Series['series'])[0]?.key ?? {} };
      return series.find((each) => nameOf(each) === name) ?? missing;
    });
    const left = [empty, ...series.filter((each) => !own.includes(each)), ...(rest ? [{ ...rest, key: {} }] : [])];
    return { ...period, series: own, other_bucket: hasRest ? addUp(left, metrics) : null };
  };
  return [align(current), align(previous)];
}

function addUp(rest: Series['series'], metrics: Series['metrics']): NonNullable<Series['other_bucket']> {
  const columns = (metric: string) => rest.map((each) => each.metrics[metric] ?? []);
  const added = metrics.map((metric) => [
    metric,
    columns(metric)[0]?.map((_, index) => sumOf(columns(metric).map((array) => array[index] ?? 0))) ?? [],
  ]);
  return {
    series_count: rest.length,
    total: sumOf(rest.map(({ total }) => total)),
    metrics: Object.fromEntries(added) as Record<string, number[]>,
  };
}

type Outcomes = Answer<typeof getOutcomes>;

/**
 * Joins outcomes. Each conversation counts in the part in which it began.
 * @throws CliError 2 if a part left tags out
 */
export function joinOutcomes(parts: readonly Outcomes[]): Outcomes {
  if (parts.some(({ by_tag: tags }) => tags.length >= outcomeTagsMax))
    throw usageError(
      'The range needs several requests, and one of them has too many tags to add up',
      'Choose a shorter range, or add a filter.',
    );
  const tags = new Map(parts.flatMap(({ by_tag: ofPart }) => ofPart.map(({ tag_id: id, tag }) => [id, tag] as const)));
  const byTag = [...tags].map(([id, tag]) => {
    const counts = parts.flatMap(({ by_tag: ofPart, labels }) => ofPart.find((each) => each.tag_id === id)?.counts ?? labels.map(() => 0));
    const total = sumOf(parts.map(({ by_tag: ofPart }) => ofPart.find((each) => each.tag_id === id)?.total ?? 0));
    return { tag_id: id, tag, total, counts };
  });
  return {
    ...period(parts),
    group_by: (parts[0] as Outcomes).group_by,
    labels: parts.flatMap(({ labels }) => labels),
    by_tag: byTag.sort((one, other) => other.total - one.total),
    totals: fieldSums(parts.map(({ totals }) => totals)),
  };
}

type Costs = Answer<typeof getConversationCosts>;

/** The costs of conversations in all parts of a range. Averages are computed from the sums. */
export function joinConversationCosts(parts: readonly Costs[]): Costs {
  const handled = (how: keyof Costs['summary']) => {
    const { sessions, credits } = fieldSums(parts.map(({ summary }) => summary[how]));
    return { sessions, credits, avg_credits: sessions === 0 ? 0 : roundHalfEven((credits / sessions) * 1e6) / 1e6 };
  };
  return {
    ...period(parts),
    sessions: sumOf(parts.map(({ sessions }) => sessions)),
    total_credits: sumOf(parts.map(({ total_credits: credits }) => credits)),
    summary: { contained: handled('contained'), handed_off: handled('handed_off'), no_ai: handled('no_ai') },
    sessions_truncated: parts.some((part) => part.sessions_truncated) || sumOf(parts.map(({ sessions }) => sessions)) > sessionsMax,
  };
}
