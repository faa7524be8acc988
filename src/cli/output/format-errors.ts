import { type CliError, usageError } from '../errors.ts';

/** The error for a document that cannot be shown as rows. */
export function noRowsError(format: string): CliError {
  return usageError(
    `This command prints a document, which cannot be shown as ${format}`,
    'Use -o json or yaml, or select rows with --query.',
  );
}

/** The error for rows without known columns. */
export function noColumnsError(format: string): CliError {
  return usageError(`The format ${format} needs columns`, 'Name them with --fields.');
}
