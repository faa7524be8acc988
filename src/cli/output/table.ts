import { terminalText } from './cell.ts';
import { emptyListText, headingOf, labelOf, type ColumnKind, isSecret, kindOf, readInstant } from './columns.ts';
import { foldCell, foldText, isAddress, type Ruler, rulerFor } from './fold.ts';
import { layOut, longestWord, type Need, needOf, widthOfTable } from './column-widths.ts';
import { readColumn } from './paths.ts';
import { type Pen, penFor } from './pen.ts';
import type { ResultRow } from './result.ts';
import type { Screen } from './screen.ts';
import { stateMark } from './states.ts';
import { localTime, relativeTime } from './times.ts';

/** The kinds of columns that are never wrapped. */
const wholeKinds: ReadonlySet<ColumnKind> = new Set(['whole', 'number', 'change', 'share', 'percent', 'instant', 'state']);

/** The kinds of columns that are aligned at their right edge on a terminal. */
const figureKinds: ReadonlySet<ColumnKind> = new Set(['number', 'change', 'share', 'percent']);

/** A column of a table, determined by the first page. */
interface Column {
  readonly name: string;
  readonly heading: string;
  readonly kind: ColumnKind;
  /** 0 if it is hidden. */
  readonly width: number;
}

/** Options for a table. */
interface TableOptions {
  /** Headings of columns that are not named after fields; they can be wrapped. */
  readonly headings?: ReadonlyMap<string, string> | undefined;
  /** Whether a table can be wider than the terminal. Otherwise each row is then shown as a record. */
  readonly scrollsSideways?: boolean;
  /** Whether ids follow what people know records by, on a terminal. */
  readonly idsLast?: boolean;
}

/** Formats the pages of one table. The first page determines the kinds and widths of the columns. */
export class TableFormatter {
  /** The columns in the order in which they are shown. */
  readonly #names: readonly string[];
  /** The columns, the most important first. */
  readonly #byImportance: readonly string[];
  readonly #screen: Screen;
  readonly #ownHeadings: ReadonlyMap<string, string>;
  readonly #scrollsSideways: boolean;
  #columns: readonly Column[] | null = null;
  /** Whether rows are shown one by one from the first on. */
  #isSplit = false;
  #now: number | null = null;

  constructor(columns: readonly string[], screen: Screen, options: TableOptions = {}) {
    const { headings = new Map(), scrollsSideways = false, idsLast = false } = options;
    this.#byImportance = columns;
    this.#names = idsLast && screen.columns !== null ? withIdsLast(columns) : columns;
    this.#screen = screen;
    this.#ownHeadings = headings;
    this.#scrollsSideways = scrollsSideways;
  }

  /** Number of columns that do not fit on the terminal. */
  get hidden(): number {
    return this.#isSplit ? 0 : (this.#columns?.filter(({ width }) => width === 0).length ?? 0);
  }

  /** The lines of a page. The first page starts with the heading. */
  async page(rows: readonly ResultRow[]): Promise<string> {
    const isFirst = this.#columns === null;
    const kinds =
      this.#columns?.map(({ kind }) => kind) ??
      this.#names.map((name) =>
        kindOf(
          name,
          rows.map((row) => readColumn(row, name)),
        ),
      );
    const now = await this.#presentTime(kinds);
    const cells = rows.map((row) =>
      this.#names.map((name, index) => cellText(readColumn(row, name), name, kinds[index] ?? 'text', this.#screen, now)),
    );
    const ruler = await rulerFor([...cells.flat(), ...this.#ownHeadings.values()]);
    this.#columns ??= this.#layOut(kinds, cells, ruler);
    if (isFirst) this.#isSplit = this.#screen.wide && !this.#scrollsSideways && this.#isWiderThanScreen();
    if (this.#screen.columns === null) this.#columns = this.#widened(this.#columns, cells, ruler);
    const columns = this.#columns;
    if (this.#isSplit || this.#hidesSecret(rows, columns)) {
      this.#isSplit ||= isFirst;
      return await this.#recordByRecord(rows, isFirst);
    }
    const pen = await penFor(this.#screen);
    const lines = cells.map((line) => this.#foldLine(line, columns, ({ kind }) => !wholeKinds.has(kind), ruler));
    const headings = columns.map(({ heading }) => heading);
    const heading = this.#foldLine(headings, columns, () => true, ruler);
    const draw = (line: readonly (readonly string[])[], paint: Paint) =>
      line.map((texts, index) => texts.map((text) => aligned(text, columns[index] as Column, ruler, paint, this.#screen.columns !== null)));
    const drawn = [
      ...(isFirst ? [draw(heading, (text) => pen(text, 'bold'))] : []),
      ...lines.map((line, row) =>
        draw(line, (text, { kind, name }) => (kind === 'state' ? painted(text, readColumn(rows[row] as ResultRow, name), pen) : text)),
      ),
    ];
    if (drawn.length === 0) return '';
    if (this.#screen.columns === null) return drawn.map(plainLine).join('');
    return await drawBorders(drawn, this.#widths, isFirst, this.#screen.unicode);
  }

  /** Whether these rows have a secret, which may be shown only once, and do not fit with all their columns. */
  #hidesSecret(rows: readonly ResultRow[], columns: readonly Column[]): boolean {
    const fits = this.#screen.columns === null || (this.hidden === 0 && widthOfTable(this.#widths) <= this.#screen.columns);
    const secrets = fits ? [] : columns.filter(({ name }) => isSecret(name));
    return secrets.some(({ name }) => rows.some((row) => typeof readColumn(row, name) === 'string'));
  }

  /** The bottom border. */
  end(): string {
    if (this.#screen.columns === null || this.#columns === null || this.#isSplit) return '';
    const { horizontal, bottom } = this.#screen.unicode ? unicodeBorder : asciiBorder;
    const lines = this.#widths.map((width) => horizontal.repeat(width + 2));
    return `${bottom[0]}${lines.join(bottom[1])}${bottom[2]}\n`;
  }

  /**
   * A single record with a line for each field. On a terminal, long text is wrapped next to the field name, and fields without a
   * value are left out.
   * @param isChosen whether the user chose the fields, which are then all shown, by the names that were given
   */
  async record(row: ResultRow, isChosen = false): Promise<string> {
    const isPlain = this.#screen.columns === null || this.#screen.wide || isChosen;
    const values = this.#names.map((name) => ({ name, value: readColumn(row, name), kind: kindOf(name, [readColumn(row, name)]) }));
    const now = await this.#presentTime(values.map(({ kind }) => kind));
    const fields = values
      .map(({ name, ...field }) => ({
        ...field,
        name: isPlain ? name : labelOf(name),
        text: recordText(field.value, name, field.kind, this.#screen, now),
      }))
      .filter(({ text }) => isPlain || text !== '');
    const ruler = await rulerFor(fields.flatMap(({ name, text }) => [name, text]));
    const pen = await penFor(this.#screen);
    const width = Math.max(...fields.map(({ name }) => ruler(name)));
    const room = this.#screen.columns === null || this.#screen.wide ? Infinity : Math.max(20, this.#screen.columns - width - 2);
    return fields
      .map(({ name, value, kind, text }) => {
        const [first = '', ...more] = wholeKinds.has(kind) || isAddress(text) ? [text] : foldText(text, room, ruler);
        const shown = kind === 'state' ? painted(first, value, pen) : first;
        const lines = [
          `${pen(name, 'bold')}${' '.repeat(width - ruler(name))}  ${shown}`,
          ...more.map((line) => `${' '.repeat(width)}  ${line}`),
        ];
        return lines.map((line) => `${line.trimEnd()}\n`).join('');
      })
      .join('');
  }

  /** The rows of a page as records, with an empty line between them. */
  async #recordByRecord(rows: readonly ResultRow[], isFirst: boolean): Promise<string> {
    const texts: string[] = [];
    for (const row of rows) texts.push(await this.record(row));
    return rows.length === 0 ? '' : `${isFirst ? '' : '\n'}${texts.join('\n')}`;
  }

  #isWiderThanScreen(): boolean {
    const { columns } = this.#screen;
    return columns !== null && widthOfTable(this.#widths) > columns;
  }

  /** The columns, as wide as the cells of a page need. They are never made narrower. */
  #widened(columns: readonly Column[], cells: readonly (readonly string[])[], ruler: Ruler): readonly Column[] {
    return columns.map((column, index) => ({
      ...column,
      width: Math.max(column.width, ...cells.map((line) => ruler(line[index] ?? ''))),
    }));
  }

  /** The time to which relative times refer; 0 if none are shown. */
  async #presentTime(kinds: readonly ColumnKind[]): Promise<number> {
    if (this.#screen.columns === null || this.#screen.wide || !kinds.includes('instant')) return 0;
    return (this.#now ??= await this.#screen.now());
  }

  get #widths(): number[] {
    return (this.#columns ?? []).filter(({ width }) => width > 0).map(({ width }) => width);
  }

  #layOut(kinds: readonly ColumnKind[], cells: readonly (readonly string[])[], ruler: Ruler): Column[] {
    const headings = this.#names.map((name) => terminalText(this.#ownHeadings.get(name) ?? headingOf(name)));
    const needs = this.#names.map((name, index) => {
      const heading = headings[index] ?? '';
      const natural = ruler(heading);
      const least = this.#ownHeadings.has(name) ? Math.min(longestWord, Math.max(...heading.split(' ').map(ruler))) : natural;
      const widths = cells.map((line) => ruler(line[index] ?? ''));
      const canFold = !wholeKinds.has(kinds[index] ?? 'text');
      const words = canFold ? cells.flatMap((line) => (line[index] ?? '').split(' ').map((word) => leastWidth(word, ruler))) : null;
      return needOf(widths, { natural, least }, words);
    });
    const { columns, wide } = this.#screen;
    const widths = columns === null || wide ? needs.map(({ natural }) => natural) : this.#fit(needs, columns);
    return this.#names.map((name, index) => ({
      name,
      heading: headings[index] ?? '',
      kind: kinds[index] ?? 'text',
      width: widths[index] ?? 0,
    }));
  }

  /** The widths of the columns in a narrow terminal. If only the id would fit, it gives way to the name. */
  #fit(needs: readonly Need[], available: number): number[] {
    const ranks = this.#names.map((name) => this.#byImportance.indexOf(name));
    const widths = layOut(needs, ranks, available);
    const id = this.#names.indexOf('id');
    const isAlone = widths.every((width, index) => width > 0 === (index === id));
    if (!isAlone || !this.#names.includes('name')) return widths;
    return layOut(
      needs.map((need, index) => (index === id ? { ...need, isEmpty: true } : need)),
      ranks,
      available,
    );
  }

  /** The cells of a row, all wrapped to the same number of lines. Hidden columns are left out. */
  #foldLine(line: readonly string[], columns: readonly Column[], canFold: (column: Column) => boolean, ruler: Ruler): string[][] {
    const isFolded = this.#screen.columns !== null && !this.#screen.wide;
    const mark = this.#screen.unicode ? '…' : '...';
    const folded = columns.map((column, index) => {
      const text = line[index] ?? '';
      // Values of a later page can be wider than their column.
      const isFit = !canFold(column) && ruler(text) <= column.width;
      return column.width === 0 ? [] : isFolded && !isFit ? foldCell(text, column.width, ruler, mark) : [text];
    });
    const height = Math.max(...folded.map(({ length }) => length));
    return folded.map((lines, index) => (columns[index]?.width === 0 ? [] : Array.from({ length: height }, (_, at) => lines[at] ?? '')));
  }
}

/** The width that a word needs. Of an address, the middle can be left out. */
function leastWidth(word: string, ruler: Ruler): number {
  return isAddress(word) ? Math.min(ruler(word), leastAddress) : ruler(word);
}

/** Width at which an address can still be recognized. */
const leastAddress = 20;

/** The columns with ids at the end: people know records by their names. */
function withIdsLast(columns: readonly string[]): string[] {
  const isId = (column: string) => column === 'id' || column.endsWith('_id');
  return [...columns.filter((column) => !isId(column)), ...columns.filter(isId)];
}

type Paint = (text: string, column: Column) => string;

/** A table cell. For other programs, the value is unchanged, unless it would be blank though it means something. */
function cellText(value: unknown, column: string, kind: ColumnKind, screen: Screen, now: number): string {
  // What comes in has a plus, for other programs too.
  if (kind === 'change' && Number(value) > 0) return `+${terminalText(value)}`;
  if (screen.columns === null) return programText(value, column);
  const instant = kind === 'instant' ? readInstant(value) : undefined;
  if (instant !== undefined) return screen.wide ? localTime(instant, screen.timeZone) : relativeTime(instant, now, screen.timeZone);
  return personText(value, column, kind, screen);
}

/** A field of a record. It also shows the exact time, as there is more space. */
function recordText(value: unknown, column: string, kind: ColumnKind, screen: Screen, now: number): string {
  if (screen.columns === null) return programText(value, column);
  const instant = kind === 'instant' ? readInstant(value) : undefined;
  if (instant === undefined) return personText(value, column, kind, screen);
  const exact = localTime(instant, screen.timeZone);
  const relative = relativeTime(instant, now, screen.timeZone);
  return screen.wide || exact.startsWith(relative) ? exact : `${exact} (${relative})`;
}

/** A value for a table in a pipe. */
function programText(value: unknown, column: string): string {
  return Array.isArray(value) && value.length === 0 ? emptyListText(column) : terminalText(value);
}

/** A value in human-readable form for a terminal. */
function personText(value: unknown, column: string, kind: ColumnKind, { unicode }: Screen): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? emptyListText(column) : value.map((item) => terminalText(item)).join(', ');
  const mark = kind === 'state' && typeof value === 'string' ? stateMark(value, unicode) : undefined;
  if (mark) return `${mark.symbol} ${terminalText(value)}`;
  if (typeof value === 'number' && kind === 'share') return `${Math.round(value * 1_000) / 10} %`;
  return typeof value === 'number' && kind === 'percent' ? `${value} %` : terminalText(value);
}

/** A state in its colour. */
function painted(text: string, state: unknown, pen: Pen): string {
  const mark = typeof state === 'string' ? stateMark(state, true) : undefined;
  return mark ? pen(text, mark.color) : text;
}

/** Pads text to the width of its column. On a terminal, numbers are right-aligned. */
function aligned(text: string, column: Column, ruler: Ruler, paint: Paint, isTerminal: boolean): string {
  const padding = ' '.repeat(Math.max(0, column.width - ruler(text)));
  const isFigure = figureKinds.has(column.kind);
  return isFigure && isTerminal ? padding + paint(text, column) : paint(text, column) + padding;
}

/** A row for other programs, without borders. */
function plainLine(cells: readonly (readonly string[])[]): string {
  return `${cells
    .map(([text = '']) => text)
    .join('  ')
    .trimEnd()}\n`;
}

const unicodeBorder = { horizontal: '─', bottom: ['└', '┴', '┘'] } as const;

const asciiBorder = { horizontal: '-', bottom: ['+', '+', '+'] } as const;

const asciiCharacters = {
  ...{ top: '-', 'top-mid': '+', 'top-left': '+', 'top-right': '+' },
  ...{ mid: '-', 'mid-mid': '+', 'left-mid': '+', 'right-mid': '+' },
  ...{ left: '|', right: '|', middle: '|' },
};

/**
 * Draws borders around rows of cells. The cells are padded to the widths of their columns and have the same number of lines.
 * Later pages continue the table of the first page, which `end` closes. The library measures text differently, so it gets
 * placeholders of the right width.
 */
async function drawBorders(rows: string[][][], widths: number[], isFirst: boolean, unicode: boolean): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const shown = rows.map((cells) => cells.filter(({ length }) => length > 0));
  const bottom = { bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const top = isFirst ? {} : { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const placeholders = shown.map((cells) => cells.map((lines, index) => lines.map(() => 'x'.repeat(widths[index] ?? 0)).join('\n')));
  const table = new Table({
    head: isFirst ? placeholders[0] : [],
    chars: { ...(unicode ? {} : asciiCharacters), ...top, ...bottom },
    colWidths: widths.map((width) => width + 2),
    style: { head: [], border: [], compact: true },
  });
  table.push(...placeholders.slice(isFirst ? 1 : 0));
  // The library prints the first lines of all cells in a row, then their second lines etc.
  const texts = shown.flatMap((cells) => (cells[0] ?? []).flatMap((_, at) => cells.map((lines) => lines[at] ?? '')));
  return `${table.toString().replaceAll(/x+/g, () => texts.shift() ?? '')}\n`;
}
