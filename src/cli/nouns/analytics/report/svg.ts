import { type Child, jsx as h } from 'hono/jsx';
import { digits } from '../../../output/counted.ts';
import { type Chart, heatMapDays, type Line } from '../charts.ts';
import { sumOf } from '../rows.ts';

// Charts as SVG. Each has a name and a description for those who do not see it, and a table with its figures behind it.

const width = 720;

/** A figure with a chart and its table. */
export function chartFigures(chart: Chart, id: string): Child[] {
  switch (chart.kind) {
    case 'lines':
      return chart.lines.map((line, index) => figure(`${id}-${index}`, line.title, summaryOf(line), lineChart(line), lineTable(line)));
    case 'bars':
      return [figure(id, chart.title, barsSummary(chart.bars), barChart(chart.bars), barTable(chart.bars))];
    case 'heat map':
      return [figure(id, chart.title, heatSummary(chart.values), heatMap(chart.values), heatTable(chart.values))];
  }
}

/** What is said of a chart in which nothing would be seen. */
const nothing = 'Nothing in these days.';

function figure(id: string, title: string, summary: string, drawn: { height: number; shapes: Child[] }, table: Child): Child {
  if (summary === nothing) return h('figure', { id }, h('figcaption', null, [h('h2', null, title), h('p', null, summary)]));
  const names = { title: `${id}-title`, summary: `${id}-summary` };
  return h('figure', { id }, [
    h('figcaption', null, [h('h2', { id: names.title }, title), h('p', { id: names.summary }, summary)]),
    h(
      'svg',
      { viewBox: `0 0 ${width} ${drawn.height}`, role: 'img', 'aria-labelledby': names.title, 'aria-describedby': names.summary },
      drawn.shapes,
    ),
    h('details', null, [
      h('summary', null, 'Table'),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-labelledby': names.title }, table),
    ]),
  ]);
}

function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): Child {
  return h('table', null, [
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
      rows.map(([first, ...rest]) => h('tr', null, [h('th', { scope: 'row' }, first), ...rest.map((value) => h('td', null, text(value)))])),
    ),
  ]);
}

const text = (value: string | number) => (typeof value === 'number' ? digits(value) : value);

const top = 8;
const plotHeight = 150;
const left = 64;

function lineChart({ labels, values }: Line): { height: number; shapes: Child[] } {
  const largest = Math.max(...values, 0) || 1;
  const x = (index: number) => left + (labels.length < 2 ? 0 : (index / (labels.length - 1)) * (width - left - 40));
  const y = (value: number) => top + plotHeight - (value / largest) * plotHeight;
  const points = values.map((value, index) => `${round(x(index))},${round(y(value))}`);
  const marks = [...new Set([0, Math.floor((labels.length - 1) / 2), labels.length - 1])].filter((index) => labels[index] !== undefined);
  return {
    height: top + plotHeight + 28,
    shapes: [
      ...[0, ...(largest % 2 === 0 ? [largest / 2] : []), largest].flatMap((value) => [
        h('line', { class: 'grid', x1: left, x2: width - 40, y1: round(y(value)), y2: round(y(value)) }),
        h('text', { x: left - 8, y: round(y(value)) + 4, 'text-anchor': 'end' }, digits(value)),
      ]),
      ...marks.map((index) => h('text', { x: round(x(index)), y: top + plotHeight + 20, 'text-anchor': 'middle' }, labels[index])),
      labels.length === 1
        ? h('circle', { class: 'line', cx: round(x(0)), cy: round(y(values[0] ?? 0)), r: 3 })
        : h('polyline', { class: 'line', points: points.join(' ') }),
    ],
  };
}

function summaryOf({ labels, values }: Line): string {
  const highest = Math.max(...values, 0);
  if (highest === 0) return nothing;
  return `${digits(sumOf(values))} in all, at most ${digits(highest)} on ${labels[values.indexOf(highest)] ?? 'no day'}.`;
}

const lineTable = ({ labels, values, title }: Line) =>
  table(
    ['Date', title],
    labels.map((label, index) => [label, values[index] ?? 0]),
  );

type Bars = Extract<Chart, { kind: 'bars' }>['bars'];

const rowHeight = 26;
const labelWidth = 200;

function barChart(bars: Bars): { height: number; shapes: Child[] } {
  const largest = Math.max(...bars.map(({ value }) => value), 1);
  const shapes = bars.flatMap(({ label, value }, index) => {
    const y = index * rowHeight + 4;
    const length = (value / largest) * (width - labelWidth - 90);
    const name = label.length > 28 ? `${label.slice(0, 27)}…` : label;
    return [
      h('text', { x: labelWidth - 10, y: y + 14, 'text-anchor': 'end' }, name),
      h('rect', { class: 'bar', x: labelWidth, y, width: round(length), height: rowHeight - 8 }),
      h('text', { x: round(labelWidth + length) + 8, y: y + 14 }, digits(value)),
    ];
  });
  return { height: Math.max(bars.length, 1) * rowHeight, shapes };
}

function barsSummary(bars: Bars): string {
  const [first] = [...bars].sort((one, other) => other.value - one.value);
  return first && first.value > 0 ? `Most: ${first.label}, ${digits(first.value)}.` : nothing;
}

const barTable = (bars: Bars) =>
  table(
    ['Name', 'Figure'],
    bars.map(({ label, value }) => [label, value]),
  );

const cell = 26;

function heatMap(values: readonly (readonly number[])[]): { height: number; shapes: Child[] } {
  const largest = Math.max(...values.flat(), 1);
  const size = (width - 90) / 24;
  return {
    height: 24 + values.length * cell,
    shapes: [
      ...[0, 6, 12, 18].map((hour) => h('text', { x: round(90 + hour * size), y: 14 }, `${hour}:00`)),
      ...values.flatMap((day, weekday) => [
        h('text', { x: 80, y: 24 + weekday * cell + 17, 'text-anchor': 'end' }, heatMapDays[weekday]),
        ...day.map((value, hour) =>
          h(
            'rect',
            {
              class: 'heat',
              x: round(90 + hour * size),
              y: 24 + weekday * cell,
              width: round(size - 2),
              height: cell - 2,
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
  );

const round = (value: number) => Math.round(value * 100) / 100;
