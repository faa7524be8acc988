import type { ExitCode } from '../errors.ts';

/** One row of a list, or one record. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether a value has fields. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One page of a list. */
export interface Page {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
}

/**
 * What a command answers: data only; `print` alone turns it into text. `columns` are those of the verb unless given, and
 * `exitCode` tells what the data alone does not: that not all was done, or that differences were found.
 */
export type Result =
  /** A list, page by page. */
  | {
      readonly kind: 'list';
      /** The field that holds the rows in the interface's answer. */
      readonly field: string;
      readonly columns?: readonly string[];
      readonly pages: AsyncIterable<Page>;
      /** Whether the interface's answer carries `next_cursor`. */
      readonly paged: boolean;
      /** Further fields of the document, known once the rows are read. */
      readonly totals?: () => Row;
      /** Said once the rows are printed, or it broke off. */
      readonly closing?: () => string;
      /** As a function where it is known once the rows are read. */
      readonly exitCode?: ExitCode | (() => ExitCode);
    }
  /** One record, and the interface's whole answer around it. */
  | {
      readonly kind: 'record';
      readonly answer: Row;
      readonly record: Row;
      readonly columns?: readonly string[];
      readonly exitCode?: ExitCode;
    }
  /** A document that has no columns, and how a person reads it where that is not as JSON. A failure is told once it is printed. */
  | { readonly kind: 'document'; readonly document: unknown; readonly text?: string; readonly failure?: Error | null }
  /** Any value, as `--query` picks it. */
  | { readonly kind: 'value'; readonly value: unknown; readonly exitCode?: ExitCode }
  /** Nothing to print: the command has printed what there was. */
  | { readonly kind: 'nothing' };

/** The exit code that a result asks for, once it is printed; undefined for none of its own. */
export function exitCodeOf(result: Result): ExitCode | undefined {
  if (!('exitCode' in result)) return undefined;
  return typeof result.exitCode === 'function' ? result.exitCode() : result.exitCode;
}

/** A list that came whole. */
export function wholeList(field: string, rows: readonly Row[]): Extract<Result, { kind: 'list' }> {
  async function* pages() {
    yield { rows, next_cursor: null };
  }
  return { kind: 'list', field, pages: pages(), paged: false };
}

/** The rows of pages, with each row changed. */
export async function* mapRows(pages: AsyncIterable<Page>, change: (row: Row) => Row): AsyncGenerator<Page> {
  for await (const { rows, next_cursor } of pages) yield { rows: rows.map(change), next_cursor };
}
