import { penFor } from './pen.ts';
import type { Screen } from './screen.ts';
import { markOf } from './states.ts';

/** How lines for people are marked: by a sign, and where there is colour by colour too. */
export interface Marks {
  readonly failed: string;
  readonly warning: string;
  readonly done: string;
  readonly bold: (text: string) => string;
  /** Colours the mark with which a line begins. */
  readonly paint: (line: string) => string;
}

/** The marks that a screen can show. */
export async function marksOf({ color, unicode }: Pick<Screen, 'color' | 'unicode'>): Promise<Marks> {
  const pen = await penFor({ color });
  const failed = markOf('bad', unicode);
  const done = markOf('good', unicode);
  const warning = { symbol: '!', color: 'yellow' };
  const colors = new Map([failed, done, warning].map((mark) => [mark.symbol, mark.color]));
  const paint = (line: string) => line.replace(/^\S(?= )/, (sign) => (colors.has(sign) ? pen(sign, colors.get(sign) ?? '') : sign));
  return { failed: failed.symbol, warning: warning.symbol, done: done.symbol, bold: (text) => pen(text, 'bold'), paint };
}
