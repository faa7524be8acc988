import type { Screen } from './screen.ts';

/** Formats text in a chalk style, such as `bold` or `red`. */
export type Pen = (text: string, style: string) => string;

/** The pen for a screen. It does nothing if colour is off. */
export async function penFor({ color }: Pick<Screen, 'color'>): Promise<Pen> {
  if (!color) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (text, style) => (text === '' ? text : chalk[style as 'bold'](text));
}
