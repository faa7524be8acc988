import type { DelimitedStyle, OutputFormat } from '../global-options.ts';
import type { World } from '../world.ts';
import { noColumnsError } from './format-errors.ts';
import type { Result, ResultRow } from './result.ts';
import { type Screen, screenOf } from './screen.ts';
import type { TableFormatter } from './table.ts';

/** Draws rows on a screen. */
export type Drawing = (rows: readonly ResultRow[], screen: Screen) => string | Promise<string>;

/** Options for the format of a list. */
export interface ListOptions {
  readonly format: OutputFormat;
  /** Options for CSV and TSV. */
  readonly style: DelimitedStyle;
  /** Whether a table shows everything, regardless of the width of the terminal. */
  readonly wide: boolean;
  /** Whether lines that are wider than the terminal can be scrolled. */
  readonly scrollsSideways?: boolean;
  /** Whether the user chose the columns, which then keep their order. */
  readonly isChosen?: boolean;
  /** Reads the current time of the service in epoch milliseconds; by default, the system time. */
  readonly now?: Screen['now'];
  /** Draws the rows on a terminal instead of a table. Needs all rows at once. */
  readonly drawing?: (() => Promise<Drawing>) | undefined;
  /** Whether rows come as they happen, so that each is shown at once. */
  readonly isLive?: boolean;
  /** Renders the rows as text instead of a table. */
  readonly text?: Drawing | undefined;
  readonly world: World;
}

/** Formats a list, page by page. */
export interface ListFormat {
  page(rows: readonly ResultRow[], isFirst: boolean): string | Promise<string>;
  end(nextCursor: string | null, totals?: ResultRow): string | Promise<string>;
  /** Number of columns that are hidden because they do not fit. */
  readonly hidden?: number;
}

type ListResult = Extract<Result, { kind: 'list' }>;

/**
 * The format of a list.
 * @param columns undefined if it has none; formats with columns then fail, and a table shows JSON
 * @throws CliError 2 if the format needs columns
 */
export async function listFormat(
  result: Pick<ListResult, 'field' | 'paged' | 'headings'>,
  columns: readonly string[] | undefined,
  options: ListOptions,
): Promise<ListFormat> {
  const { format, style, wide, drawing, text } = options;
  switch (format) {
    case 'table': {
      const screen = screenOf(options.world.stdout, options.world, wide, options.now);
      if (text) return { page: (rows) => text(rows, screen), end: () => '' };
      if (drawing && screen.columns !== null && !wide) return wholeDrawing(await drawing(), screen);
      if (!columns) return jsonList(result);
      const { TableFormatter } = await import('./table.ts');
      const { scrollsSideways = false, isChosen = false, isLive = false } = options;
      const table = new TableFormatter(columns, screen, { headings: result.headings, scrollsSideways, idsLast: !isChosen });
      return tableFormat(table, isLive ? 1 : widthRows);
    }
    case 'csv':
    case 'tsv': {
      if (!columns) throw noColumnsError(format);
      const { DelimitedFormatter } = await import('./delimited.ts');
      const formatter = new DelimitedFormatter(format, columns, style);
      return { page: (rows) => formatter.page(rows), end: () => '' };
    }
    case 'ndjson':
      return { page: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''), end: () => '' };
    case 'yaml': {
      const { yamlText } = await import('./yaml.ts');
      return yamlList(result, yamlText);
    }
    case 'json':
      return jsonList(result);
  }
}

/** Number of rows that determine the widths of a table. They can be spread over small pages, for example one per account. */
const widthRows = 40;

/** @param atFirst the number of rows that are collected before the table begins */
function tableFormat(table: TableFormatter, atFirst: number): ListFormat {
  let first: ResultRow[] | null = [];
  const begin = async (rows: readonly ResultRow[]) => {
    first = null;
    return await table.page(rows);
  };
  return {
    async page(rows) {
      if (!first) return await table.page(rows);
      first.push(...rows);
      return first.length < atFirst ? '' : await begin(first);
    },
    end: async () => (first ? await begin(first) : '') + table.end(),
    get hidden() {
      return table.hidden;
    },
  };
}

/** A drawing needs all rows, so they are collected first. */
function wholeDrawing(draw: Drawing, screen: Screen): ListFormat {
  const all: ResultRow[] = [];
  return {
    page(rows) {
      all.push(...rows);
      return '';
    },
    end: () => draw(all, screen),
  };
}

function jsonList({ field, paged }: Pick<ListResult, 'field' | 'paged'>): ListFormat {
  let empty = true;
  return {
    page(rows, isFirst) {
      const text = rows.map((row) => `\n    ${JSON.stringify(row, null, 2).replaceAll('\n', '\n    ')}`).join(',');
      const lead = isFirst ? `{\n  ${JSON.stringify(field)}: [` : rows.length > 0 && !empty ? ',' : '';
      empty &&= rows.length === 0;
      return lead + text;
    },
    end(nextCursor, totals = {}) {
      const further = { ...(paged && { next_cursor: nextCursor }), ...totals };
      const fields = Object.entries(further).map(([name, value]) => `,\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
      return `${empty ? ']' : '\n  ]'}${fields.join('')}\n}\n`;
    },
  };
}

function yamlList({ field, paged }: Pick<ListResult, 'field' | 'paged'>, stringify: (value: unknown) => string): ListFormat {
  let empty = true;
  return {
    page(rows) {
      if (rows.length === 0) return '';
      const lead = empty ? `${field}:\n` : '';
      empty = false;
      const lines = stringify(rows).split('\n');
      return lead + lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
    },
    end(nextCursor, totals = {}) {
      const further = { ...(paged && { next_cursor: nextCursor }), ...totals };
      return (empty ? `${field}: []\n` : '') + (Object.keys(further).length > 0 ? stringify(further) : '');
    },
  };
}
