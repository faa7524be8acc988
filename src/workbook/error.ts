/** A workbook cannot be read. The message is a sentence for people. */
export class WorkbookError extends Error {
  /** What can be done. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'WorkbookError';
    this.hint = hint;
  }
}
