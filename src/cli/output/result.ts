/** One row of a list, or one record. */
export type Row = Readonly<Record<string, unknown>>;

/** What a command answers: data only; `print` alone turns it into text. */
export type Result =
  /** A list, page by page. */
  | {
      readonly kind: 'list';
      /** The field that holds the rows in the interface's answer. */
      readonly field: string;
      readonly columns: readonly string[];
      readonly pages: AsyncIterable<{ readonly rows: readonly Row[]; readonly next_cursor: string | null }>;
      /** Whether the interface's answer carries `next_cursor`. */
      readonly paged: boolean;
    }
  /** One record, and the interface's whole answer around it. `failed` when it was not all done. */
  | { readonly kind: 'record'; readonly answer: Row; readonly record: Row; readonly columns: readonly string[]; readonly failed?: boolean }
  /** A document that has no columns. */
  | { readonly kind: 'document'; readonly document: Row }
  /** Nothing to print: the command has printed what there was. */
  | { readonly kind: 'nothing' };

/** A list that came whole. */
export function wholeList(field: string, rows: readonly Row[], columns: readonly string[]): Result {
  async function* pages() {
    yield { rows, next_cursor: null };
  }
  return { kind: 'list', field, columns, pages: pages(), paged: false };
}
