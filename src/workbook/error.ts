/** Thrown when a workbook cannot be read. The message is meant for users. */
export class WorkbookError extends Error {
  /** How to solve the problem. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkbookError';
    this.hint = hint;
  }
}
