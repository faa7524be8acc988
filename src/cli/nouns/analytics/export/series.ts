import { getSeries, seriesLimit } from '../../../../contract/areas/analytics/endpoints.ts';
import { type Granularity, type Grouping, type Metric, rangeCaps } from '../../../../contract/areas/analytics/names.ts';
import type { Answer } from '../../../../contract/endpoint.ts';
import type { Row } from '../../../output/result.ts';
import { joinSeries } from '../join.ts';
import { partsOf } from '../ranges.ts';
import { seriesRows } from '../rows.ts';
import type { Dataset, Reading, Step } from './dataset.ts';

const usualMetrics = ['sent', 'replied'];

const listOf = (text: unknown): string[] => (typeof text === 'string' ? text.split(',') : []);

/** A series from its first day to today, in long form. */
export const series: Dataset = {
  columns: ({ metrics, group_by: groups }: Row) => [
    'date',
    ...listOf(groups).filter((group) => group !== 'date'),
    ...(metrics === undefined ? usualMetrics : listOf(metrics)),
  ],
  isReplaced: true,
  read: readSeries,
};

async function* readSeries({ client, since, today, query }: Reading): AsyncGenerator<Step> {
  const from = since ?? today;
  const parts: Answer<typeof getSeries>[] = [];
  for (const days of partsOf({ from, to: today }, rangeCaps.series, query.granularity as Granularity | undefined))
    parts.push(
      await client.call(getSeries, { query: { ...(query as { metrics?: Metric; group_by?: Grouping }), ...days, limit: seriesLimit.max } }),
    );
  const whole = parts.length === 1 ? parts[0] : joinSeries(parts, seriesLimit.max);
  yield { rows: whole ? seriesRows(whole) : [], resume: {}, done: {} };
}
