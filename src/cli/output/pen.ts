import type { Screen } from './screen.ts';

/** Writes text in a style of chalk, such as `bold` or `red`. */
export type Pen = (text: string, style: string) => string;

/** The pen of a screen, which leaves text as it is where there is no colour. */
export async function penFor({ color }: Pick<Screen, 'color'>): Promise<Pen> {
  if (!color) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (text, style) => (text === '' ? text : chalk[style as 'bold'](text));
}
