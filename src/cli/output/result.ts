import type { ExitCode } from '../errors.ts';

/** A row of a list, or a record. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One page of a list. */
export interface Page {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
  /** The other fields of the answer. */
  readonly further?: Row;
}

/**
 * The result of a command: data only, which `print` turns into text. `columns` are those of the verb by default.
 * `exitCode` reports an outcome that is not an error: a partial failure, or differences that were found.
 */
export type Result =
  /** A list, page by page. */
  (
    | {
        readonly kind: 'list';
        /** The field of the interface's answer that holds the rows. */
        readonly field: string;
        /** A function when they are known only once the first page is read. */
        readonly columns?: readonly string[] | (() => readonly string[] | undefined);
        /** The headings of columns that are not named after fields, in a table. */
        readonly headings?: ReadonlyMap<string, string>;
        readonly pages: AsyncIterable<Page>;
        /** Whether the interface's answer carries `next_cursor`. */
        readonly paged: boolean;
        /** Other fields of the document, known once the rows are read. */
        readonly totals?: () => Row;
        /** A note after the rows, also when the list ends with an error. */
        readonly closing?: () => string | undefined;
        /** A function when it is known only once the rows are read. */
        readonly exitCode?: ExitCode | (() => ExitCode);
      }
    /** One record, and the whole answer that contains it. */
    | {
        readonly kind: 'record';
        readonly answer: Row;
        readonly record: Row;
        readonly columns?: readonly string[];
        /** Its form for people, if not a line for each field. */
        readonly text?: string | undefined;
        readonly exitCode?: ExitCode;
      }
    /** A document without columns. `text` is its form for people, if not JSON. */
    | { readonly kind: 'document'; readonly document: unknown; readonly text?: string }
    /** Any value, as `--query` or `--jq` selects it. `text` is how it is printed, whatever the format. */
    | { readonly kind: 'value'; readonly value: unknown; readonly text?: string; readonly exitCode?: ExitCode }
    /** Nothing to print: the command has printed its output itself. */
    | { readonly kind: 'nothing'; readonly exitCode?: ExitCode }
  ) & {
    /** What is thrown once it is printed. */
    readonly failure?: Error | null;
  };

/** The columns of a list; undefined when it has none of its own, or does not know them yet. */
export function columnsOf({ columns }: Pick<Extract<Result, { kind: 'list' }>, 'columns'>): readonly string[] | undefined {
  return typeof columns === 'function' ? columns() : columns;
}

/** The exit code of a result, once it is printed; undefined when it has none. */
export function exitCodeOf(result: Result): ExitCode | undefined {
  if (!('exitCode' in result)) return undefined;
  return typeof result.exitCode === 'function' ? result.exitCode() : result.exitCode;
}

/** A list without pages. */
export function wholeList(field: string, rows: readonly object[]): Extract<Result, { kind: 'list' }> {
  async function* pages() {
    yield { rows: rows as readonly Row[], next_cursor: null };
  }
  return { kind: 'list', field, pages: pages(), paged: false };
}

/** The requests of a dry run that makes several. */
export function requestList(requests: readonly object[]): Extract<Result, { kind: 'list' }> {
  return { ...wholeList('requests', requests), columns: ['method', 'url'] };
}

/** The rows of pages, with each row changed. */
export async function* mapRows(pages: AsyncIterable<Page>, change: (row: Row) => Row): AsyncGenerator<Page> {
  for await (const { rows, next_cursor } of pages) yield { rows: rows.map(change), next_cursor };
}
