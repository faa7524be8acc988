import { penFor } from './pen.ts';
import type { Screen } from './screen.ts';
import { markOf } from './states.ts';

/** Marks for lines of human-readable output: a symbol and, on a terminal with colour, a colour. */
export interface Marks {
  readonly failed: string;
  readonly warning: string;
  readonly done: string;
  readonly bold: (text: string) => string;
  /** Colours the mark at the beginning of a line. */
  readonly paint: (line: string) => string;
}

/** The marks that a terminal can display. */
export async function marksOf({ color, unicode }: Pick<Screen, 'color' | 'unicode'>): Promise<Marks> {
  const pen = await penFor({ color });
  const failed = markOf('bad', unicode);
  const done = markOf('good', unicode);
  const warning = { symbol: '!', color: 'yellow' };
  const colors = new Map([failed, done, warning].map((mark) => [mark.symbol, mark.color]));
  const paint = (line: string) => line.replace(/^\S(?= )/, (sign) => (colors.has(sign) ? pen(sign, colors.get(sign) ?? '') : sign));
  return { failed: failed.symbol, warning: warning.symbol, done: done.symbol, bold: (text) => pen(text, 'bold'), paint };
}
