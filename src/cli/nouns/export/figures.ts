import { getAiCost, getConversationCosts, getOutcomes, getSeries, seriesLimit } from '../../../contract/areas/analytics/endpoints.ts';
import { metricNames, outcomeTagsMax, rangeCaps } from '../../../contract/areas/analytics/names.ts';
import { sum } from '../../../contract/sum.ts';
import type { Client } from '../../../client/client.ts';
import { dayAfter, lengthOf, partsOf } from '../../figures/ranges.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Days } from '../../verb/days.ts';
import type { Condition, Reading, Step } from './dataset.ts';
import { figuresFrom } from './lists.ts';

/** How figures are read of some days. */
interface Figures {
  /** Divides a range into what one request takes. */
  readonly divided: (days: Days) => Days[];
  readonly rows: (client: Client, days: Days) => Promise<ResultRow[]>;
  /** The rows of a part. */
  readonly ofPart: (days: Days) => Condition[];
  /** The first day of the part that a day is in. */
  readonly beginOf?: (day: string) => string;
  /** Whether any day can change, however long it is over. */
  readonly areAllRead?: boolean;
}

const ofDays = ({ from, to }: Days): Condition[] => [
  ['date', '>=', from],
  ['date', '<=', to],
];

/**
 * Reads figures part by part, from the first day on that can have changed. What a part no longer has is gone: figures of 0 have no
 * row.
 */
async function* readFigures({ divided, rows, ofPart, beginOf, areAllRead }: Figures, reading: Reading): AsyncGenerator<Step> {
  const { client, position, resume, now } = reading;
  const today = new Date(now).toISOString();
  const at = (resume?.at as string | undefined) ?? today;
  const first = ((resume ?? position)?.first as string | undefined) ?? reading.since ?? (await reading.firstDay('firstFigure'));
  const changed = areAllRead ? first : figuresFrom(reading, first);
  const begin = beginOf?.(changed) ?? changed;
  const from = (resume?.next as string | undefined) ?? (begin > first ? begin : first);
  const parts = divided({ from, to: today.slice(0, 10) });
  for (const [index, days] of parts.entries())
    yield {
      rows: await rows(client, days),
      replaces: ofPart(days),
      resume: { next: dayAfter(days.to, 1), first, at },
      done: index === parts.length - 1 ? { first, at } : null,
    };
}

const series: Figures = {
  divided: (days) => partsOf(days, rangeCaps.series),
  ofPart: ofDays,
  rows: async (client, days) => {
    const query = { ...days, metrics: metricNames.join(','), group_by: 'channel', limit: seriesLimit.max };
    const { labels, series: found, other_bucket: rest } = await client.call(getSeries, { query });
    const channels = new Map<string | null, Readonly<Record<string, readonly number[]>>[]>();
    for (const { key, metrics } of found) channels.set(key.channel ?? null, [metrics]);
    // What is left over belongs to no channel that is named.
    if (rest) channels.set(null, [...(channels.get(null) ?? []), rest.metrics]);
    return labels.flatMap((date, index) =>
      [...channels].flatMap(([channel, arrays]) => {
        const figures = metricNames.map((metric) => [metric, sum(arrays.map((array) => array[metric]?.[index] ?? 0))] as const);
        return figures.some(([, figure]) => figure !== 0) ? [{ date, channel, ...Object.fromEntries(figures) }] : [];
      }),
    );
  },
};

const outcomes: Figures = {
  divided: (days) => partsOf(days, rangeCaps.series),
  ofPart: ofDays,
  areAllRead: true,
  rows: readOutcomesOf,
};

/** An answer has only the tags with the most conversations. Shorter ranges have fewer of them. */
async function readOutcomesOf(client: Client, days: Days): Promise<ResultRow[]> {
  const { labels, by_tag: tags } = await client.call(getOutcomes, { query: days });
  const length = lengthOf(days);
  if (tags.length >= outcomeTagsMax && length > 1) {
    const middle = dayAfter(days.from, Math.floor(length / 2));
    const [first, second] = [
      { from: days.from, to: dayAfter(middle, -1) },
      { from: middle, to: days.to },
    ];
    return [...(await readOutcomesOf(client, first)), ...(await readOutcomesOf(client, second))];
  }
  return tags.flatMap(({ tag_id, tag, counts }) =>
    labels.flatMap((date, index) => (counts[index] ? [{ date, tag_id, tag, conversations: counts[index] }] : [])),
  );
}

const conversationCosts: Figures = {
  divided: monthsOf,
  ofPart: ({ from }) => [['month', '=', monthOf(from)]],
  beginOf: monthOf,
  rows: async (client, days) => {
    const { summary, sessions_truncated } = await client.call(getConversationCosts, { query: days });
    return Object.entries(summary).flatMap(([handling, figures]) =>
      figures.sessions === 0 ? [] : [{ month: monthOf(days.from), handling, ...figures, sessions_truncated }],
    );
  },
};

const aiCost: Figures = {
  divided: (days) => partsOf(days, rangeCaps.ledger),
  ofPart: ofDays,
  rows: async (client, days) => (await client.call(getAiCost, { query: days })).days.filter(({ calls }) => calls > 0),
};

/** The first day of a month. */
function monthOf(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

/** The months of a range of days. The first month is read from the first day on. */
function monthsOf({ from, to }: Days): Days[] {
  const months: Days[] = [];
  for (let first = from; first <= to;) {
    const next = monthOf(dayAfter(monthOf(first), 31));
    months.push({ from: first, to: next > to ? to : dayAfter(next, -1) });
    first = next;
  }
  return months;
}

export const readSeries = (reading: Reading) => readFigures(series, reading);
export const readOutcomes = (reading: Reading) => readFigures(outcomes, reading);
export const readConversationCosts = (reading: Reading) => readFigures(conversationCosts, reading);
export const readAiCost = (reading: Reading) => readFigures(aiCost, reading);
