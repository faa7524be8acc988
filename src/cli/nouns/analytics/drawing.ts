import type { AXIS, CHART } from 'simple-ascii-chart';
import { terminalText } from '../../output/cell.ts';
import { digits } from '../../../contract/text/counted.ts';
import { cutText, rulerFor } from '../../output/fold.ts';
import { penFor } from '../../output/pen.ts';
import type { Screen } from '../../output/screen.ts';
import { wrapped } from '../../output/wrap.ts';
import { type Bars, type Chart, type HeatMap, heatMapDays, type Lines, nothing, scaleOf } from './charts.ts';
import { sumOf } from './rows.ts';

/** Maximum number of line charts to draw. */
const linesMax = 6;

const asciiSymbols: { axis: Partial<typeof AXIS>; chart: Partial<typeof CHART> } = {
  axis: { n: '|', ns: '|', y: '+', nse: '+', x: '+', we: '-', e: '-', intersectionXY: '+', intersectionX: '+', intersectionY: '+' },
  chart: { we: '-', wns: '+', ns: '|', nse: '+', wsn: '+', sne: '+', area: '#' },
};

/** Draws charts as wide as the screen. */
export async function drawCharts(charts: readonly Chart[], screen: Screen): Promise<string> {
  const drawn = await Promise.all(charts.map((chart) => drawChart(chart, screen)));
  return `${drawn.join('\n\n')}\n`;
}

async function drawChart(chart: Chart, screen: Screen): Promise<string> {
  switch (chart.kind) {
    case 'lines':
      return await drawLines(chart, screen);
    case 'bars':
      return await drawBars(chart, screen);
    case 'heat map':
      return await drawHeatMap(chart, screen);
  }
}

/** The width of charts. Narrower screens wrap their lines. */
const widthOf = ({ columns }: Screen) => Math.max(columns ?? 80, 30);

async function headingOf(title: string, screen: Screen): Promise<string> {
  const pen = await penFor(screen);
  return pen(wrapped(terminalText(title), widthOf(screen)), 'bold');
}

async function drawLines({ lines }: Lines, screen: Screen): Promise<string> {
  const { plot } = await import('simple-ascii-chart');
  if (lines.length === 0) return nothing;
  const thisYear = new Date(await screen.now()).toISOString().slice(0, 5);
  const headings = await Promise.all(lines.slice(0, linesMax).map(({ title }) => headingOf(title, screen)));
  const drawn = lines.slice(0, linesMax).map(({ labels, values, scale = scaleOf(values) }, index) => {
    const heading = [headings[index] ?? '', wrapped(figuresOf(labels, values), widthOf(screen))];
    if (scale.highest === scale.lowest) return heading.join('\n');
    const isThisYear = labels.every((label) => label.startsWith(thisYear));
    // Leaves space for the number and the axis, and at the end for half of a date.
    const numberWidth = Math.max(...[scale.lowest, scale.highest].map((end) => digits(end).length));
    const width = widthOf(screen) - numberWidth - (isThisYear ? 8 : 11);
    const binned = inBins(labels, values, width);
    const last = binned.values.length - 1;
    const chart = plot(
      binned.values.map((value, index): [number, number] => [index, value]),
      {
        width,
        height: 5,
        yRange: [scale.lowest, scale.highest],
        customXAxisTicks: [...new Set([0, Math.floor(last / 2), last])],
        customYAxisTicks: [...new Set([scale.lowest, 0, scale.highest])],
        formatter: (value, { axis }) => (axis === 'x' ? (binned.labels[value] ?? '').slice(isThisYear ? 5 : 0) : digits(value)),
        ...(screen.unicode ? {} : { symbols: asciiSymbols }),
      },
    );
    const note = binned.steps === 1 ? [] : [wrapped(`Each point is the average of ${binned.steps} steps.`, widthOf(screen))];
    const text = chart.split('\n').map((line) => line.trimEnd());
    return [...heading, ...note, ...text.filter((line) => line !== '')].join('\n');
  });
  const rest = lines.length - linesMax;
  return [...drawn, ...(rest > 0 ? [wrapped(`${rest} more are not drawn: omit --chart to see them.`, widthOf(screen))] : [])].join('\n\n');
}

/** Averages of consecutive steps, so that a line fits into the given number of columns. The last one may have fewer steps. */
function inBins(labels: readonly string[], values: readonly number[], columns: number) {
  const steps = Math.ceil(values.length / columns);
  const starts = Array.from({ length: Math.ceil(values.length / steps) }, (_, bin) => bin * steps);
  return {
    steps,
    labels: starts.map((start) => labels[start] ?? ''),
    values: starts.map((start) => averageOf(values.slice(start, start + steps))),
  };
}

function averageOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/** Describes the values of a line in text. */
function figuresOf(labels: readonly string[], values: readonly number[]): string {
  const [highest, lowest] = [Math.max(...values), Math.min(...values)];
  const total = sumOf(values);
  if (values.every((value) => value === 0)) return nothing;
  if (highest === lowest) return `${digits(total)} in all`;
  const on = (value: number) => `${digits(value)} on ${labels[values.indexOf(value)] ?? ''}`;
  return `${digits(total)} in all, at most ${on(highest)}, at least ${on(lowest)}`;
}

async function drawBars({ title, bars, longest }: Bars, screen: Screen): Promise<string> {
  const heading = await headingOf(title, screen);
  if (bars.every(({ value }) => value === 0)) return `${heading}\n${nothing}`;
  const labels = bars.map(({ label }) => terminalText(label));
  const ruler = await rulerFor(labels);
  const labelWidth = Math.min(Math.max(...labels.map(ruler)), Math.floor(widthOf(screen) / 3));
  const largest = Math.max(...bars.map(({ value }) => value), longest ?? 0, 1);
  const numberWidth = Math.max(...bars.map(({ value }) => digits(value).length));
  const room = widthOf(screen) - labelWidth - numberWidth - 4;
  const lines = bars.map(({ value }, index) => {
    const label = cutText(labels[index] ?? '', labelWidth, ruler, screen.unicode ? '…' : '~');
    const length = value <= 0 ? 0 : Math.max(1, Math.round((value / largest) * room));
    const padding = ' '.repeat(labelWidth - ruler(label));
    return `${label}${padding}  ${digits(value).padStart(numberWidth)}  ${(screen.unicode ? '█' : '#').repeat(length)}`;
  });
  return [heading, ...lines.map((line) => line.trimEnd())].join('\n');
}

const shades = { unicode: ['·', '░', '▒', '▓', '█'], ascii: ['.', ':', '+', '*', '#'] };

async function drawHeatMap({ title, values }: HeatMap, screen: Screen): Promise<string> {
  const heading = await headingOf(title, screen);
  const scale = screen.unicode ? shades.unicode : shades.ascii;
  const largest = Math.max(...values.flat(), 0);
  if (largest === 0) return `${heading}\n${nothing}`;
  const shade = (value: number) => scale[value === 0 ? 0 : Math.max(1, Math.ceil((value / largest) * (scale.length - 1)))] ?? '';
  const totals = values.map((ofDay) => digits(sumOf(ofDay)));
  const room = widthOf(screen) - 'Sun  '.length - 2 - Math.max(...totals.map(({ length }) => length));
  const showsTotals = room >= 24;
  const wide = room >= 2 * 24 ? 2 : 1;
  const hours = Array.from({ length: 24 }, (_, hour) => (hour % 6 === 0 ? `${hour}`.padEnd(wide * 6) : '')).join('');
  const days = values.map((ofDay, day) => {
    const cells = ofDay.map((value) => shade(value).repeat(wide)).join('');
    return `${(heatMapDays[day] ?? '').slice(0, 3)}  ${cells}${showsTotals ? `  ${totals[day] ?? ''}` : ''}`;
  });
  const legend = `${scale[0] ?? ''} none, ${scale.at(-1) ?? ''} up to ${digits(largest)} an hour of the week; hours in UTC${showsTotals ? '; right: the day' : ''}`;
  return [heading, `     ${hours}`.trimEnd(), ...days, wrapped(legend, widthOf(screen))].join('\n');
}
