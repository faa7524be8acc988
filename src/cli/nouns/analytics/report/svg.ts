import { type Child, jsx as h } from 'hono/jsx';
import { digits } from '../../../../contract/text/counted.ts';
import { terminalText } from '../../../output/cell.ts';
import { cutText, rulerFor } from '../../../output/fold.ts';
import { type Chart, heatMapDays, type Line, nothing, scaleOf } from '../charts.ts';
import { sumOf } from '../rows.ts';

// Charts as SVG. For accessibility, each has a name, a description and a table with its figures. Widths and positions are
// percentages, so that a chart is as wide as the window while its text keeps its size.

/** The drawn part of a chart. Text next to the chart is to the left of x = 0. */
interface Drawing {
  /** In pixels, like `left`, the space next to the chart. */
  readonly height: number;
  readonly left: number;
  readonly shapes: Child[];
}

/** A figure element with a chart and its table. */
export async function chartFigures(chart: Chart, id: string): Promise<Child[]> {
  switch (chart.kind) {
    case 'lines':
      return chart.lines.map((line, index) =>
        figure({ id: `${id}-${index}`, title: line.title, isWide: false }, summaryOf(line), lineChart(line), lineTable(line)),
      );
    case 'bars':
      return [figure({ id, title: chart.title, isWide: false }, barsSummary(chart.bars), await barChart(chart.bars), barTable(chart.bars))];
    case 'heat map':
      return [figure({ id, title: chart.title, isWide: true }, heatSummary(chart.values), heatMap(chart.values), heatTable(chart.values))];
  }
}

/** The title of a figure, and whether it spans the whole width of a wide page. */
interface Heading {
  readonly id: string;
  readonly title: string;
  readonly isWide: boolean;
}

function figure({ id, title, isWide }: Heading, summary: string, { height, left, shapes }: Drawing, table: Child): Child {
  const about = { id, ...(isWide && { class: 'wide' }) };
  if (summary === nothing) return h('figure', about, h('figcaption', null, [h('h2', null, title), h('p', null, summary)]));
  const names = { title: `${id}-title`, summary: `${id}-summary` };
  return h('figure', about, [
    h('figcaption', null, [h('h2', { id: names.title }, title), h('p', { id: names.summary }, summary)]),
    h(
      'svg',
      { height, style: `--left: ${left}px`, role: 'img', 'aria-labelledby': names.title, 'aria-describedby': names.summary },
      shapes,
    ),
    h('details', null, [
      h('summary', null, 'Table'),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-labelledby': names.title }, table),
    ]),
  ]);
}

/** A table whose rows begin with their headings. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[], name?: string): Child {
  return h('table', name === undefined ? null : { class: name }, [
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        headings.map((heading) => h('th', { scope: 'col' }, heading)),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map(([first, ...rest]) =>
        h('tr', null, [h('th', { scope: 'row' }, text(first ?? '')), ...rest.map((value) => h('td', null, text(value)))]),
      ),
    ),
  ]);
}

/** A figure or a name. Names are given by people: their direction must not change that of the text around them. */
const text = (value: string | number) => (typeof value === 'number' ? digits(value) : h('bdi', null, terminalText(value)));

/** A name within a sentence, whose direction it must not change. */
export const isolated = (name: string) => `\u2068${terminalText(name)}\u2069`;

const percent = (share: number) => `${round(share * 100)}%`;

const top = 8;
const plotHeight = 150;

function lineChart({ labels, values, scale = scaleOf(values) }: Line): Drawing {
  const { lowest, highest } = scale;
  const last = labels.length - 1;
  const share = (value: number) => (highest - value) / (highest - lowest || 1);
  const y = (value: number) => round(top + share(value) * plotHeight);
  const marked = [...new Set([lowest, 0, ...(highest % 2 === 0 ? [highest / 2] : []), highest])];
  return {
    height: top + plotHeight + 28,
    left: 12 + 8 * Math.max(...marked.map((value) => digits(value).length)),
    shapes: [
      ...marked.flatMap((value) => [
        h('line', { class: 'grid', x1: 0, x2: '100%', y1: y(value), y2: y(value) }),
        h('text', { x: -8, y: y(value) + 4, 'text-anchor': 'end' }, digits(value)),
      ]),
      ...marksOf(last).map(({ index, anchor }) =>
        h('text', { x: percent(index / (last || 1)), y: top + plotHeight + 20, 'text-anchor': anchor }, labels[index]),
      ),
      last < 1 ? h('circle', { class: 'point', cx: 0, cy: y(values[0] ?? 0), r: 4 }) : stretchedLine(values.map(share)),
    ],
  };
}

/** The labels below a line: at both ends, and in the middle if there is a value. */
function marksOf(last: number): { index: number; anchor: string }[] {
  const middle = Math.floor(last / 2);
  return [
    { index: 0, anchor: 'start' },
    ...(last > 1 && last !== 3 ? [{ index: middle, anchor: 'middle' }] : []),
    ...(last > 0 ? [{ index: last, anchor: 'end' }] : []),
  ];
}

/**
 * A line that is stretched to the width of the chart, without stretching its stroke.
 * @param shares how far each point is from the top, as a share of the height
 */
function stretchedLine(shares: readonly number[]): Child {
  const points = shares.map((share, index) => `${round((index / (shares.length - 1)) * 1_000)},${round(share * plotHeight)}`);
  const box = { viewBox: `0 0 1000 ${plotHeight}`, preserveAspectRatio: 'none', overflow: 'visible' };
  return h(
    'svg',
    { ...box, y: top, width: '100%', height: plotHeight },
    h('polyline', { class: 'line', points: points.join(' '), 'vector-effect': 'non-scaling-stroke' }),
  );
}

function summaryOf({ labels, values }: Line): string {
  if (values.every((value) => value === 0)) return nothing;
  const highest = Math.max(...values);
  return `${digits(sumOf(values))} in all, at most ${digits(highest)} on ${labels[values.indexOf(highest)] ?? 'no day'}.`;
}

const lineTable = ({ labels, values }: Line) =>
  table(
    ['Date', 'Figure'],
    labels.map((label, index) => [label, values[index] ?? 0]),
    'days',
  );

type Bars = Extract<Chart, { kind: 'bars' }>['bars'];

const rowHeight = 44;

/** Maximum width of the name above a bar, in terminal columns. Its figure is next to it, even on a phone. */
const nameWidth = 32;

async function barChart(bars: Bars): Promise<Drawing> {
  const ruler = await rulerFor(bars.map(({ label }) => label));
  const largest = Math.max(...bars.map(({ value }) => value), 1);
  const shapes = bars.flatMap(({ label, value }, index) => {
    const y = index * rowHeight;
    return [
      h('text', { x: 0, y: y + 14 }, cutText(terminalText(label), nameWidth, ruler, '…')),
      h('text', { class: 'value', x: '100%', y: y + 14, 'text-anchor': 'end' }, digits(value)),
      h('rect', { class: 'track', x: 0, y: y + 20, width: '100%', height: 14 }),
      h('rect', { class: 'bar', x: 0, y: y + 20, width: percent(value / largest), height: 14 }),
    ];
  });
  return { height: Math.max(bars.length, 1) * rowHeight, left: 0, shapes };
}

function barsSummary(bars: Bars): string {
  const [first] = [...bars].sort((one, other) => other.value - one.value);
  return first && first.value > 0 ? `Most: ${isolated(first.label)}, ${digits(first.value)}.` : nothing;
}

const barTable = (bars: Bars) =>
  table(
    ['Name', 'Figure', ...Object.keys(bars[0]?.details ?? {})],
    bars.map(({ label, value, details = {} }) => [label, value, ...Object.values(details)]),
  );

const cell = 26;

function heatMap(values: readonly (readonly number[])[]): Drawing {
  const largest = Math.max(...values.flat(), 1);
  return {
    height: 24 + values.length * cell,
    left: 40,
    shapes: [
      ...[0, 6, 12, 18].map((hour) => h('text', { x: percent(hour / 24), y: 14 }, `${hour}:00`)),
      ...values.flatMap((day, weekday) => [
        h('text', { x: -8, y: 24 + weekday * cell + 17, 'text-anchor': 'end' }, heatMapDays[weekday]?.slice(0, 3)),
        ...day.map((value, hour) =>
          h(
            'rect',
            {
              class: 'heat',
              x: percent(hour / 24),
              y: 24 + weekday * cell,
              width: percent(1 / 24),
              height: cell,
              'fill-opacity': round(value === 0 ? 0.04 : 0.15 + 0.85 * (value / largest)),
            },
            h('title', null, `${heatMapDays[weekday] ?? ''} ${hour}:00: ${digits(value)}`),
          ),
        ),
      ]),
    ],
  };
}

function heatSummary(values: readonly (readonly number[])[]): string {
  const largest = Math.max(...values.flat(), 0);
  if (largest === 0) return nothing;
  const weekday = values.findIndex((day) => day.includes(largest));
  return `The stronger the colour, the more; at most ${digits(largest)}, on ${heatMapDays[weekday] ?? ''} at ${values[weekday]?.indexOf(largest) ?? 0}:00 UTC.`;
}

const heatTable = (values: readonly (readonly number[])[]) =>
  table(
    ['Day', ...Array.from({ length: 24 }, (_, hour) => `${hour}`)],
    values.map((day, weekday) => [heatMapDays[weekday] ?? '', ...day]),
    'hours',
  );

const round = (value: number) => Math.round(value * 100) / 100;
