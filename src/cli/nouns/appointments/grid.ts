import { dayOfWallTime } from '../../../contract/zones.ts';
import { terminalText } from '../../output/cell.ts';
import { penFor } from '../../output/pen.ts';
import type { Row } from '../../output/result.ts';
import type { Screen } from '../../output/screen.ts';
import { dayWords } from './slot-words.ts';
import type { SlotRow } from './slots.ts';

/** The days of a week of the grid. */
const daysOfWeek = 7;

const gap = '  ';

/**
 * Draws slots as a grid: a column for each day from the first one with a slot, a line for each time. Several weeks, and days
 * that do not fit beside each other, stand below each other, and so do rooms.
 */
export async function drawGrid(rows: readonly Row[], screen: Screen): Promise<string> {
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

/** Some days beside each other, with the width of their columns. */
interface Block {
  readonly days: readonly number[];
  readonly slots: readonly SlotRow[];
  readonly width: number;
}

function blocksOf(slots: readonly SlotRow[], columns: number): Block[] {
  const days = slots.map(dayOf);
  const [from, to] = [Math.min(...days), Math.max(...days)];
  const width = Math.max(...days.map((day) => dayWords(day).length), ...slots.map((slot) => cellOf(slot).length));
  const perBlock = Math.max(1, Math.min(daysOfWeek, Math.floor((columns + gap.length) / (width + gap.length))));
  const blocks: Block[] = [];
  for (let first = from; first <= to; first += perBlock) {
    const ofBlock = Array.from({ length: Math.min(perBlock, to - first + 1) }, (_, index) => first + index);
    const held = slots.filter((slot) => ofBlock.includes(dayOf(slot)));
    if (held.length > 0) blocks.push({ days: ofBlock, slots: held, width });
  }
  return blocks;
}

function drawBlock({ days, slots, width }: Block, pen: (text: string, style: string) => string): string[] {
  const heading = days.map((day) => dayWords(day).padEnd(width)).join(gap);
  const cells = new Map(slots.map((slot) => [`${dayOf(slot)} ${slot.start}`, slot]));
  const times = [...new Set(slots.map(({ start }) => start))].sort();
  const lines = times.map((time) =>
    days
      .map((day) => {
        const slot = cells.get(`${day} ${time}`);
        return (slot ? cellOf(slot) : '').padEnd(width);
      })
      .join(gap)
      .trimEnd(),
  );
  return [pen(heading.trimEnd(), 'gray'), ...lines];
}

/** The start of a slot, with the number of free places when there can be several. */
function cellOf({ start, spots_left: left }: SlotRow): string {
  return left === null ? start : `${start} (${left})`;
}

function dayOf({ date }: SlotRow): number {
  return dayOfWallTime(Date.parse(`${date}T00:00:00Z`));
}
