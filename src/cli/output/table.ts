import { terminalText } from './cell.ts';
import { readColumn } from './paths.ts';
import type { Row } from './result.ts';

/** The style of a table. */
interface TableStyle {
  /** On a terminal, a table has borders and is cut at the width of the window; null elsewhere. */
  readonly terminal: { readonly columns: number } | null;
  readonly color: boolean;
}

/** The width below which no column is cut. */
const minWidth = 8;

/** Formats the pages of one table. The first page determines the widths of the columns. */
export class TableFormatter {
  readonly #columns: readonly string[];
  readonly #style: TableStyle;
  #widths: number[] | null = null;

  constructor(columns: readonly string[], style: TableStyle) {
    this.#columns = columns;
    this.#style = style;
  }

  /** The lines of a page. Those of the first page begin with the heading. */
  async page(rows: readonly Row[]): Promise<string> {
    const cells = rows.map((row) => this.#columns.map((column) => terminalText(readColumn(row, column))));
    const heading = this.#columns.map((column) => column.toUpperCase().replaceAll('_', ' '));
    const lines = this.#widths === null ? [heading, ...cells] : cells;
    const ruler = await rulerFor(cells);
    this.#widths ??= this.#fit(widthsOf(lines, ruler));
    if (lines.length === 0) return '';
    return await this.#draw(lines, this.#widths, ruler, lines[0] === heading);
  }

  /** The bottom border. */
  end(): string {
    if (this.#style.terminal === null || this.#widths === null) return '';
    const lines = this.#widths.filter((width) => width > 0).map((width) => '─'.repeat(width + 2));
    return `└${lines.join('┴')}┘\n`;
  }

  /** A single record: one line per field, never cut. */
  async record(row: Row): Promise<string> {
    const lines = this.#columns.map((column) => [column, terminalText(readColumn(row, column))]);
    const ruler = await rulerFor(lines);
    const width = Math.max(...lines.map(([field = '']) => ruler(field)));
    const bold = this.#style.color ? await boldPen() : (text: string) => text;
    return lines
      .map(([field = '', value = '']) => `${bold(field)}${' '.repeat(width - ruler(field))}  ${value}`.trimEnd())
      .join('\n')
      .concat('\n');
  }

  /**
   * Fits the table to the terminal: drops times first, then the last columns, then cuts the widest columns. The first
   * column holds the ids that people copy, and is cut last.
   */
  #fit(widths: number[]): number[] {
    if (this.#style.terminal === null) return widths;
    const { columns } = this.#style.terminal;
    const shown = this.#columns.map((_column, index) => index);
    const least = () =>
      sum(shown.map((index) => (index === 0 ? (widths[0] ?? 0) : Math.min(widths[index] ?? 0, minWidth)))) + 3 * shown.length + 1;
    const natural = () => sum(shown.map((index) => widths[index] ?? 0)) + 3 * shown.length + 1;
    for (let index = shown.length - 1; index > 0 && natural() > columns; index--)
      if (this.#columns[index]?.endsWith('_at')) shown.splice(shown.indexOf(index), 1);
    while (shown.length > 2 && least() > columns) shown.pop();
    const fitted = widths.map((width, index) => (shown.includes(index) ? width : 0));
    for (let excess = natural() - columns; excess > 0; excess--) {
      const others = shown.filter((index) => index > 0 && (fitted[index] ?? 0) > minWidth);
      const pool = others.length > 0 ? others : [0];
      const widest = pool.reduce((best, index) => ((fitted[index] ?? 0) > (fitted[best] ?? 0) ? index : best), pool[0] ?? 0);
      if ((fitted[widest] ?? 0) <= 1) break;
      fitted[widest] = (fitted[widest] ?? 0) - 1;
    }
    return fitted;
  }

  async #draw(lines: string[][], widths: number[], ruler: Ruler, hasHeading: boolean): Promise<string> {
    const bold = this.#style.color ? await boldPen() : (text: string) => text;
    const cells = lines.map((line, row) =>
      line.flatMap((cell, column) => {
        const width = widths[column] ?? 0;
        // The column was dropped.
        if (width === 0) return [];
        // Output for other programs is never cut.
        const text = this.#style.terminal ? cut(cell, width, ruler) : cell;
        return [{ text: hasHeading && row === 0 ? bold(text) : text, padding: ' '.repeat(Math.max(0, width - ruler(text))) }];
      }),
    );
    if (this.#style.terminal)
      return await drawBorders(
        cells.map((line) => line.map(({ text, padding }) => text + padding)),
        widths,
        hasHeading,
      );
    return cells
      .map(
        (line) =>
          `${line
            .map(({ text, padding }) => text + padding)
            .join('  ')
            .trimEnd()}\n`,
      )
      .join('');
  }
}

/**
 * Draws borders around cells that are padded to the width of their columns. Later pages continue the table of the first,
 * which `end` closes. The library measures text by other rules, so it gets placeholders of the right width.
 */
async function drawBorders(rows: string[][], widths: number[], isFirst: boolean): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const shown = widths.filter((width) => width > 0);
  const bottom = { bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const top = isFirst ? {} : { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const placeholders = shown.map((width) => 'x'.repeat(width));
  const table = new Table({
    head: isFirst ? placeholders : [],
    chars: { ...top, ...bottom },
    colWidths: shown.map((width) => width + 2),
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.slice(isFirst ? 1 : 0).map(() => placeholders));
  const cells = rows.flat();
  return `${table.toString().replaceAll(/x+/g, () => cells.shift() ?? '')}\n`;
}

async function boldPen(): Promise<(text: string) => string> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }).bold;
}

/** Measures the width of text on a screen. */
type Ruler = (text: string) => number;

const isPlain = (text: string) => /^[\x20-\x7e…]*$/.test(text);

/** Plain text does not need the library that measures wide and combining characters, which takes long to load. */
async function rulerFor(lines: string[][]): Promise<Ruler> {
  if (lines.every((line) => line.every(isPlain))) return (text) => text.length;
  const { default: stringWidth } = await import('string-width');
  return (text) => stringWidth(text);
}

function widthsOf(lines: string[][], ruler: Ruler): number[] {
  const widths: number[] = [];
  for (const line of lines) for (const [index, cell] of line.entries()) widths[index] = Math.max(widths[index] ?? 1, ruler(cell));
  return widths;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Cuts text to a width on the screen, but never within a character. */
function cut(text: string, width: number, ruler: Ruler): string {
  if (ruler(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of isPlain(text) ? text : graphemes(text)) {
    const characterWidth = ruler(character);
    if (used + characterWidth > width - 1) break;
    kept += character;
    used += characterWidth;
  }
  return `${kept}…`;
}

function* graphemes(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}
