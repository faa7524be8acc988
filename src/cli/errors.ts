import type { NamedError, Reason } from '../contract/errors.ts';

/** The exit codes of the program; `msgctl help exit-codes` explains them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  differences: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  rateLimited: 7,
  partlyFailed: 8,
  unavailable: 9,
  interrupted: 130,
} as const;

/** The exit code of a program that a command has run, and that the command exits with too. */
export type ProgramExitCode = number & { readonly isPassedOn: true };

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes] | ProgramExitCode;

/**
 * The lines of a message. A text is one line, whatever names and values stand in it: when it is printed, their line breaks are
 * escaped.
 */
export type Lines = string | readonly string[];

/** An error to show to the user. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** A machine-readable code: `usage`, `not_authenticated`, `network`. */
  readonly code: string;
  /** The message, line by line. */
  readonly lines: readonly string[];
  /** What the user can do about it. */
  readonly hint: string | undefined;
  /** The hint, line by line. */
  readonly hintLines: readonly string[];
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  readonly errorCode: number | NamedError | undefined;
  /** By which the request is found in the log of the service. */
  readonly requestId: string | undefined;
  /** Other fields of the error response. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    code: string,
    message: Lines,
    more: {
      hint?: Lines | undefined;
      status?: number;
      errorCode?: number | NamedError;
      requestId?: string | undefined;
      details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super([message].flat().join('\n'));
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.lines = [message].flat();
    this.hintLines = [more.hint ?? []].flat();
    this.hint = more.hint === undefined ? undefined : this.hintLines.join('\n');
    this.status = more.status;
    this.errorCode = more.errorCode;
    this.requestId = more.requestId;
    this.details = more.details ?? {};
  }

  /** What the service refused; undefined if it does not say it. */
  get reason(): Reason | undefined {
    return this.details.reason as Reason | undefined;
  }

  /** The same error with another message, hint or details. */
  with({ message = this.lines, ...changes }: { message?: Lines; hint?: Lines; details?: CliError['details'] }): CliError {
    const { exitCode, code, hint, hintLines, status, errorCode, requestId, details } = this;
    const same = { hint: hint === undefined ? undefined : hintLines, status, errorCode, requestId, details };
    return new CliError(exitCode, code, message, { ...same, ...changes });
  }
}

/** An error caused by a wrong command line. */
export function usageError(message: string, hint?: Lines): CliError {
  return new CliError(exitCodes.usage, 'usage', message, { hint });
}
