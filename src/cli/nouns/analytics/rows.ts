import type { Answer } from '../../../contract/endpoint.ts';
import type { getConversationCosts, getOutcomes, getSeries } from '../../../contract/areas/analytics/endpoints.ts';
import type { Row } from '../../output/result.ts';

/** The key of the series that did not fit. */
const other = '(other)';

/** A series in long form: a row for each label and key, a column for each metric. */
export function seriesRows({ labels, group_by: groups, metrics, series, other_bucket: rest }: Answer<typeof getSeries>): Row[] {
  const dimensions = groups.filter((group) => group !== 'date');
  const all = [
    ...series.map(({ key, metrics: arrays }) => ({ key: key, arrays })),
    ...(rest ? [{ key: Object.fromEntries(dimensions.map((dimension) => [dimension, other])), arrays: rest.metrics }] : []),
  ];
  return all.flatMap(({ key, arrays }) =>
    labels.map((date, index) => ({
      date,
      ...Object.fromEntries(dimensions.map((dimension) => [dimension, key[dimension] ?? null])),
      ...Object.fromEntries(metrics.map((metric) => [metric, arrays[metric]?.[index] ?? 0])),
    })),
  );
}

/** The columns of a series in long form. */
export function seriesColumns({ group_by: groups, metrics }: Answer<typeof getSeries>): string[] {
  return ['date', ...groups.filter((group) => group !== 'date'), ...metrics];
}

/** The conversations by tag; by date, a row for each label and tag. */
export function outcomeRows({ labels, by_tag: tags }: Answer<typeof getOutcomes>): Row[] {
  if (labels.length === 0) return tags.map(({ tag_id, tag, total }) => ({ tag_id, tag, conversations: total }));
  return tags.flatMap(({ tag_id, tag, counts }) => labels.map((date, index) => ({ date, tag_id, tag, conversations: counts[index] ?? 0 })));
}

/** The costs of conversations by how they were handled. */
export function costRows({ summary }: Answer<typeof getConversationCosts>): Row[] {
  return Object.entries(summary).map(([handling, figures]) => ({ handling, ...figures }));
}
