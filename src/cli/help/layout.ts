import { wrapped } from '../output/wrap.ts';
import type { Output } from '../world.ts';

/** A term with its description. */
export type Row = readonly [term: string, description: string];

/** A paragraph, or rows. */
export type Block = string | readonly Row[];

/** A part of a help text. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** The width where no window tells it. */
export const defaultWidth = 80;

/** Longer lines are hard to read. */
const maxWidth = 100;

/** With less room beside the terms, the descriptions stand below them. */
const minDescription = 32;

/** The width of a help text in columns: that of the window, or the default without one. */
export function helpWidth({ columns = 0 }: Output): number {
  return Math.min(columns > 0 ? columns : defaultWidth, maxWidth);
}

/** A title with blocks below it. */
export function blocksText(title: string, blocks: readonly Block[], width: number): string {
  const texts = blocks.map((block) => (typeof block === 'string' ? wrapped(block, width) : rowsText(block, width).trimEnd()));
  return `${[title, ...texts].join('\n\n')}\n`;
}

/** Sections one below the other, with the descriptions of all of them in one column. Sections without rows are left out. */
export function sectionsText(sections: readonly Section[], width: number): string {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const termWidth = longestTerm(shown.flatMap(({ rows }) => rows));
  return shown.map(({ title, rows }) => `${title}:\n${rowsText(rows, width, termWidth)}`).join('\n');
}

/** Rows, indented by two, with the descriptions in a column. */
function rowsText(rows: readonly Row[], width: number, termWidth = longestTerm(rows)): string {
  const room = width - termWidth - 4;
  const isBeside = room >= minDescription;
  const indent = ' '.repeat(isBeside ? termWidth + 4 : 6);
  const lines = rows.map(([term, description]) => {
    const lead = isBeside ? `  ${term.padEnd(termWidth)}  ` : `  ${term}\n${indent}`;
    const text = wrapped(description, isBeside ? room : Math.max(width - 6, 16)).replaceAll('\n', `\n${indent}`);
    return `${description === '' ? `  ${term}` : lead + text}\n`;
  });
  return lines.join('');
}

function longestTerm(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([term]) => term.length));
}
