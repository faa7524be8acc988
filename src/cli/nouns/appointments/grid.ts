import { dayOfLocalTime } from '../../../contract/time/zones.ts';
import { terminalText } from '../../output/cell.ts';
import { penFor } from '../../output/pen.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { dayWords } from './slot-words.ts';
import type { SlotRow } from './slots.ts';

/** Number of days in a row of the grid. */
const daysOfWeek = 7;

const gap = '  ';

/**
 * Draws slots as a grid. There is a column for each day from the first one with a slot, and a line for each time; a time that
 * occurs twice has two lines. Weeks, days that do not fit next to each other, and rooms are drawn one below the other.
 */
export async function drawGrid(rows: readonly ResultRow[], screen: Screen): Promise<string> {
  const slots = rows as unknown as readonly SlotRow[];
  const [first] = slots;
  if (!first) return '';
  const pen = await penFor(screen);
  const lines = [`${pen(terminalText(first.event), 'bold')}  ${pen(first.timezone, 'gray')}`];
  for (const [room, ofRoom] of Map.groupBy(slots, ({ room_name: name }) => name)) {
    if (room !== null) lines.push('', pen(terminalText(room), 'bold'));
    for (const block of blocksOf(ofRoom, screen.columns ?? 80)) lines.push('', ...drawBlock(block, pen));
  }
  return `${lines.join('\n')}\n`;
}

/** Some days next to each other, with the width of their columns. */
interface Block {
  readonly days: readonly number[];
  /** The column headings: the days in words. */
  readonly headings: readonly string[];
  readonly slots: readonly SlotRow[];
  readonly width: number;
}

function blocksOf(slots: readonly SlotRow[], columns: number): Block[] {
  const days = slots.map(dayOf);
  const [from, to] = [Math.min(...days), Math.max(...days)];
  // A column can be without slots, so all of them have the year once the words of a slot do.
  const withYear = slots.some((slot) => slot.slot.startsWith(dayWords(dayOf(slot), true)));
  const width = Math.max(...days.map((day) => dayWords(day, withYear).length), ...slots.map((slot) => cellOf(slot).length));
  const perBlock = Math.max(1, Math.min(daysOfWeek, Math.floor((columns + gap.length) / (width + gap.length))));
  const blocks: Block[] = [];
  for (let first = from; first <= to; first += perBlock) {
    const ofBlock = Array.from({ length: Math.min(perBlock, to - first + 1) }, (_, index) => first + index);
    const held = slots.filter((slot) => ofBlock.includes(dayOf(slot)));
    if (held.length > 0) blocks.push({ days: ofBlock, headings: ofBlock.map((day) => dayWords(day, withYear)), slots: held, width });
  }
  return blocks;
}

function drawBlock({ days, headings, slots, width }: Block, pen: (text: string, style: string) => string): string[] {
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell) => cell.padEnd(width))
      .join(gap)
      .trimEnd();
  const times = Map.groupBy(slots, ({ start }) => start.slice(0, 'HH:MM'.length));
  const lines = [...times.keys()].sort().flatMap((time) => {
    const ofTime = Map.groupBy(times.get(time) ?? [], dayOf);
    const count = Math.max(...[...ofTime.values()].map((ofDay) => ofDay.length));
    return Array.from({ length: count }, (_, index) => lineOf(days.map((day) => cellOf(ofTime.get(day)?.[index]))));
  });
  return [pen(lineOf(headings), 'gray'), ...lines];
}

/** The start of a slot, with the number of free places if there can be several. */
function cellOf(slot: SlotRow | undefined): string {
  if (!slot) return '';
  const { start, spots_left: left } = slot;
  return left === null ? start : `${start} (${left})`;
}

function dayOf({ date }: Pick<SlotRow, 'date'>): number {
  return dayOfLocalTime(Date.parse(`${date}T00:00:00Z`));
}
