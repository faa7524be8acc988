import type { NamedError } from '../contract/errors.ts';

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

/** An error to show to the user. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** A machine-readable code: `usage`, `not_authenticated`, `network`. */
  readonly code: string;
  /** What the user can do about it. */
  readonly hint: string | undefined;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  readonly errorCode: number | NamedError | undefined;
  /** Other fields of the error response. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    exitCode: ExitCode,
    code: string,
    message: string,
    more: {
      hint?: string | undefined;
      status?: number;
      errorCode?: number | NamedError;
      details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = more.hint;
    this.status = more.status;
    this.errorCode = more.errorCode;
    this.details = more.details ?? {};
  }

  /** The same error with another message, hint or details. */
  with({ message = this.message, ...changes }: { message?: string } & Pick<Partial<CliError>, 'hint' | 'details'>): CliError {
    const { exitCode, code, hint, status, errorCode, details } = this;
    return new CliError(exitCode, code, message, { hint, status, errorCode, details, ...changes });
  }
}

/** An error caused by a wrong command line. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(exitCodes.usage, 'usage', message, { hint });
}
