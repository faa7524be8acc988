import { type Granularity, groupings, type Metric, metricNames, defaultMetrics } from '../../../contract/areas/analytics/names.ts';
import { readList } from '../../../contract/fields.ts';
import { seriesLimit } from '../../../contract/areas/analytics/endpoints.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import type { Db } from '../../store/database.ts';
import { toCredits } from '../../store/millionths.ts';
import type { DailyCounter } from '../activity/counts.ts';
import { type DailySums, type Division, sumDaily } from './counters.ts';
import { type Axis, axisOf, showPeriod } from './period.ts';
import type { Extent } from './scope.ts';

/** The counters whose sum is a metric. */
const countersOf: Readonly<Record<Metric, readonly DailyCounter[]>> = {
  sent: ['ai_sent', 'human_sent', 'automated_sent'],
  ai_sent: ['ai_sent'],
  human_sent: ['human_sent'],
  automated_sent: ['automated_sent'],
  delivered: ['delivered'],
  read: ['read'],
  replied: ['replied'],
  booked: ['booked'],
  contact_created: ['contact_created'],
  credits_spent: ['credits_spent'],
  conversations: ['conversations'],
  conversation_credits: ['conversation_credits'],
};

const inCredits: ReadonlySet<Metric> = new Set(['credits_spent', 'conversation_credits']);

/** The column of each dimension. */
const divisionOf = { campaign: 'campaign_id', channel: 'channel', agent: 'agent_id', number: 'own_identity' } as const;

type Dimension = keyof typeof divisionOf;

type Row = DailySums<Division, DailyCounter>;

/** The parameters of a series query. */
interface SeriesQuery {
  readonly metrics?: string | undefined;
  readonly group_by?: string | undefined;
  readonly granularity?: Granularity | undefined;
  readonly limit?: number | undefined;
  readonly channel?: string | undefined;
}

/** The arrays of one series, by metric: counts, or credits in millionths. */
type Arrays = ReadonlyMap<Metric, number[]>;

interface Series {
  readonly key: Readonly<Partial<Record<Dimension, string | null>>>;
  readonly arrays: Arrays;
}

/** The series of an extent (rules analytics.22 to analytics.30). */
export async function makeSeries(db: Db, extent: Extent, query: SeriesQuery) {
  const metrics = chosen(query.metrics, metricNames) ?? [...defaultMetrics];
  const groups = chosen(query.group_by, groupings) ?? [];
  const { granularity = 'day', limit = seriesLimit.default } = query;
  const dimensions = groups.filter((group) => group !== 'date');
  const counters = [...new Set(metrics.flatMap((metric) => countersOf[metric]))];
  const divisions = ['day', ...dimensions.map((dimension) => divisionOf[dimension])] as const;
  const rows = (await sumDaily(db, extent, divisions, counters, query.channel)) as unknown as Row[];
  const axis = axisOf(extent.period, granularity);
  const all = seriesOf(rows, dimensions, metrics, axis).sort(byTotal);
  const rest = all.slice(limit);
  return {
    ...showPeriod(extent.period),
    granularity,
    labels: axis.labels,
    group_by: groups,
    metrics,
    series: all.slice(0, limit).map(({ key, arrays }) => ({ key, ...show(arrays) })),
    other_bucket: rest.length === 0 ? null : { series_count: rest.length, ...show(sumOf(rest, metrics, axis)) },
    truncated: rest.length > 0,
  };
}

/** The words of a list, without duplicates; undefined without a list. */
function chosen<Word extends string>(list: string | undefined, known: readonly Word[]): Word[] | undefined {
  return list === undefined ? undefined : [...new Set(readList(list))].filter((word): word is Word => known.includes(word as Word));
}

/** Sums the rows into series. Without dimensions there is always one series, even if it is all zero. */
function seriesOf(rows: readonly Row[], dimensions: readonly Dimension[], metrics: readonly Metric[], axis: Axis): Series[] {
  const found = new Map<string, Series>();
  if (dimensions.length === 0) found.set('[]', { key: {}, arrays: zeros(metrics, axis) });
  for (const row of rows) {
    const values = dimensions.map((dimension) => valueOf(dimension, row[divisionOf[dimension]]));
    const name = JSON.stringify(values);
    let series = found.get(name);
    if (!series) {
      const key = Object.fromEntries(dimensions.map((dimension, index) => [dimension, values[index] ?? null]));
      found.set(name, (series = { key: inOrder(key), arrays: zeros(metrics, axis) }));
    }
    const step = axis.indexOf(row.day);
    for (const [metric, array] of series.arrays) for (const counter of countersOf[metric]) add(array, step, row[counter]);
  }
  const all = [...found.values()];
  return dimensions.length === 0
    ? all
    : all.filter(({ arrays }) => [...arrays.values()].some((array) => array.some((value) => value !== 0)));
}

/** The value of a dimension; null when unknown. Numbers are in E.164, so the account names of other channels are null. */
function valueOf(dimension: Dimension, value: string): string | null {
  return value === '' || (dimension === 'number' && !/^\+\d+$/.test(value)) ? null : value;
}

/** A key with its dimensions in the order defined by the contract. */
function inOrder(key: Readonly<Record<string, string | null>>): Series['key'] {
  return Object.fromEntries(Object.keys(divisionOf).flatMap((dimension) => (dimension in key ? [[dimension, key[dimension]]] : [])));
}

function zeros(metrics: readonly Metric[], { labels }: Axis): Arrays {
  return new Map(metrics.map((metric) => [metric, labels.map(() => 0)]));
}

function sumOf(all: readonly Series[], metrics: readonly Metric[], axis: Axis): Arrays {
  const sums = zeros(metrics, axis);
  for (const { arrays } of all)
    for (const [metric, array] of arrays) for (const [index, value] of array.entries()) add(sums.get(metric), index, value);
  return sums;
}

function add(array: number[] | undefined, index: number, value: number): void {
  if (array) array[index] = (array[index] ?? 0) + value;
}

/** The total of all arrays. Counts and millionths are summed separately, so that the total is exact. */
function totalOf(arrays: Arrays): number {
  let [counts, millionths] = [0, 0];
  for (const [metric, array] of arrays) {
    const sum = array.reduce((total, value) => total + value, 0);
    if (inCredits.has(metric)) millionths += sum;
    else counts += sum;
  }
  return toCredits(counts * 1e6 + millionths);
}

/** Sorts series by total, largest first. Series with the same total are sorted by key, so that their order is stable. */
function byTotal(a: Series, b: Series): number {
  return totalOf(b.arrays) - totalOf(a.arrays) || compareTexts(JSON.stringify(a.key), JSON.stringify(b.key));
}

function show(arrays: Arrays) {
  const metrics = [...arrays].map(([metric, array]) => [metric, inCredits.has(metric) ? array.map(toCredits) : array] as const);
  return { total: totalOf(arrays), metrics: Object.fromEntries(metrics) };
}
