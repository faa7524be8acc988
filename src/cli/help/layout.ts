import { wrapped } from '../output/wrap.ts';
import type { Output } from '../world.ts';

/** A term and its description. */
export type HelpRow = readonly [term: string, description: string];

/** A paragraph, or rows. */
export type Block = string | readonly HelpRow[];

/** A part of a help text. */
export interface Section {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

/** The width if the terminal does not report one. */
export const defaultWidth = 80;

/** Maximum width, because longer lines are hard to read. */
const maxWidth = 100;

/** If there are fewer columns than this next to the terms, descriptions are placed below them. */
const minDescription = 32;

/** The width of help texts in columns: the width of the terminal, or a default. */
export function helpWidth({ columns = 0 }: Output): number {
  return Math.min(columns > 0 ? columns : defaultWidth, maxWidth);
}

/** A title followed by blocks. */
export function blocksText(title: string, blocks: readonly Block[], width: number): string {
  const texts = blocks.map((block) => (typeof block === 'string' ? wrapped(block, width) : rowsText(block, width).trimEnd()));
  return `${[title, ...texts].join('\n\n')}\n`;
}

/** Several sections whose descriptions are aligned in one column. Empty sections are omitted. */
export function sectionsText(sections: readonly Section[], width: number): string {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const termWidth = longestTerm(shown.flatMap(({ rows }) => rows));
  return shown.map(({ title, rows }) => `${title}:\n${rowsText(rows, width, termWidth)}`).join('\n');
}

/** Rows, indented by two, with aligned descriptions. */
function rowsText(rows: readonly HelpRow[], width: number, termWidth = longestTerm(rows)): string {
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

function longestTerm(rows: readonly HelpRow[]): number {
  return Math.max(0, ...rows.map(([term]) => term.length));
}
