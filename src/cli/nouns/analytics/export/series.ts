import { getSeries, seriesLimit } from '../../../../contract/areas/analytics/endpoints.ts';
import { readList } from '../../../../contract/fields.ts';
import { type Granularity, type Grouping, type Metric, rangeCaps, defaultMetrics } from '../../../../contract/areas/analytics/names.ts';
import type { Answer } from '../../../../contract/endpoint.ts';
import { usageError } from '../../../errors.ts';
import type { ResultRow } from '../../../output/result.ts';
import { joinSeries } from '../join.ts';
import { partsOf } from '../../../figures/ranges.ts';
import { seriesRows } from '../rows.ts';
import type { Dataset, Reading, ExportStep } from './dataset.ts';

/** The items of a list given by the user, without duplicates. */
const wordsOf = (text: unknown): string[] => (typeof text === 'string' ? [...new Set(readList(text))] : []);

/** A time series from its first day to today, in long form. */
export const series: Dataset = {
  columns: ({ metrics, group_by: groups }: ResultRow) => [
    'date',
    ...wordsOf(groups).filter((group) => group !== 'date'),
    ...(metrics === undefined ? defaultMetrics : wordsOf(metrics)),
  ],
  isReplaced: true,
  begins: () => 'firstFigure',
  read: readSeries,
};

async function* readSeries({ client, since, today, query }: Reading): AsyncGenerator<ExportStep> {
  const from = since ?? today;
  const parts: Answer<typeof getSeries>[] = [];
  for (const days of partsOf({ from, to: today }, rangeCaps.series, query.granularity as Granularity | undefined))
    parts.push(
      await client.call(getSeries, { query: { ...(query as { metrics?: Metric; group_by?: Grouping }), ...days, limit: seriesLimit.max } }),
    );
  if (parts.some(({ other_bucket: rest }) => rest !== null))
    throw usageError(`More than ${seriesLimit.max} series cannot be exported`, 'Omit --group-by, or group by something with fewer values.');
  const whole = parts.length === 1 ? parts[0] : joinSeries(parts, seriesLimit.max);
  yield { rows: whole ? seriesRows(whole) : [], resume: {}, done: {} };
}
