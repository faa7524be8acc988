/** Thrown when a workbook cannot be read. The message is meant for users. */
export class WorkbookError extends Error {
  /** How to solve the problem. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'WorkbookError';
    this.hint = hint;
  }
}
