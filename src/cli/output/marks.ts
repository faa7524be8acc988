import type { Screen } from './screen.ts';

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
  const signs = unicode ? { failed: '✗', warning: '!', done: '✓' } : { failed: 'x', warning: '!', done: '+' };
  if (!color) return { ...signs, bold: (text) => text, paint: (line) => line };
  const { Chalk } = await import('chalk');
  const { red, yellow, green, bold } = new Chalk({ level: 1 });
  const pens = new Map([
    [signs.failed, red],
    [signs.warning, yellow],
    [signs.done, green],
  ]);
  const paint = (line: string) => line.replace(/^(\S) /, (start, sign: string) => `${pens.get(sign)?.(sign) ?? sign}${start.slice(1)}`);
  return { ...signs, bold, paint };
}
