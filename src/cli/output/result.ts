import type { ExitCode, Lines } from '../errors.ts';

/** A row of a list, or a record. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields. */
export function isRow(value: unknown): value is ResultRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields beside the rows of a list, once they are read. */
export function fieldsBeside({ totals, further }: Extract<Result, { kind: 'list' }>): ResultRow {
  return { ...further?.(), ...totals?.() };
}

/** One page of a list. */
export interface Page {
  readonly rows: readonly ResultRow[];
  readonly next_cursor: string | null;
  /** The other fields of the response. */
  readonly further?: ResultRow;
}

/**
 * The result of a command as data, which `print` formats. `columns` default to the verb's columns. `exitCode` reports an
 * outcome that is not an error, such as a partial failure or differences that were found.
 */
export type Result =
  /** A list, page by page. */
  (
    | {
        readonly kind: 'list';
        /** The response field that contains the rows. */
        readonly field: string;
        /** A function if they are known only after the first page is read. */
        readonly columns?: readonly string[] | (() => readonly string[] | undefined);
        /** Table headings for columns that are not named after fields. */
        readonly headings?: ReadonlyMap<string, string>;
        readonly pages: AsyncIterable<Page>;
        /** Whether the API's response contains `next_cursor`. */
        readonly paged: boolean;
        /** Other fields of the document, known only after the rows are read. */
        readonly totals?: () => ResultRow;
        /** The other fields of the last page, known only after the rows are read. */
        readonly further?: () => ResultRow;
        /** A note to print after the rows, even if the list ends with an error. */
        readonly closing?: () => Lines | undefined;
        /** A function if it is known only after the rows are read. */
        readonly exitCode?: ExitCode | (() => ExitCode);
      }
    /** A single record, and the response that contains it. */
    | {
        readonly kind: 'record';
        readonly answer: ResultRow;
        readonly record: ResultRow;
        readonly columns?: readonly string[];
        /** Text to show instead of a line for each field. */
        readonly text?: string | undefined;
        readonly exitCode?: ExitCode;
      }
    /** A document without columns. `text` is shown instead of JSON in the format for people. */
    | { readonly kind: 'document'; readonly document: unknown; readonly text?: string }
    /** Any value, as selected by `--query` or `--jq`. `text` is printed in all formats. */
    | { readonly kind: 'value'; readonly value: unknown; readonly text?: string; readonly exitCode?: ExitCode }
    /** Nothing to print: the command has already printed its output. */
    | { readonly kind: 'nothing'; readonly exitCode?: ExitCode }
  ) & {
    /** An error to throw after the result is printed. */
    readonly failure?: Error | null;
  };

/** The columns of a list; undefined if it does not define its own, or they are not known yet. */
export function columnsOf({ columns }: Pick<Extract<Result, { kind: 'list' }>, 'columns'>): readonly string[] | undefined {
  return typeof columns === 'function' ? columns() : columns;
}

/** The exit code of a result, after it is printed; undefined if it has none. */
export function exitCodeOf(result: Result): ExitCode | undefined {
  if (!('exitCode' in result)) return undefined;
  return typeof result.exitCode === 'function' ? result.exitCode() : result.exitCode;
}

/** A list that is not paginated. */
export function wholeList(field: string, rows: readonly object[]): Extract<Result, { kind: 'list' }> {
  async function* pages() {
    yield { rows: rows as readonly ResultRow[], next_cursor: null };
  }
  return { kind: 'list', field, pages: pages(), paged: false };
}

/** A dry run's result with several requests. */
export function requestList(requests: readonly object[]): Extract<Result, { kind: 'list' }> {
  return { ...wholeList('requests', requests), columns: ['method', 'url'] };
}

/** Applies a function to each row of pages. */
export async function* mapRows(pages: AsyncIterable<Page>, change: (row: ResultRow) => ResultRow): AsyncGenerator<Page> {
  for await (const { rows, next_cursor } of pages) yield { rows: rows.map(change), next_cursor };
}
