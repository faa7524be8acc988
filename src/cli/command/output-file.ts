import { statSync } from 'node:fs';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { OwnerOnlyFile } from '../files/owner-only.ts';

/** What is written to a file, for its errors. */
interface Purpose {
  /** The option that names the file. */
  readonly flag: string;
  /** `the key` */
  readonly what: string;
  /** Whether an existing file may be replaced. */
  readonly replaces: boolean;
  /** What to do about a file that exists. */
  readonly hint?: string;
}

/**
 * Opens a file that only its owner can read, before there is anything to write.
 * @throws CliError 1 when it cannot be written, 2 when it exists
 */
export function openOutputFile(
  path: string,
  { flag, what, replaces, hint = 'Choose a new file, or add --yes to replace it.' }: Purpose,
): OwnerOnlyFile {
  if (path === '') throw usageError(`${flag} must not be empty`);
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing?.isFile() && !replaces) throw usageError(`The file ${path} exists`, hint);
  try {
    if (existing?.isFile() === false) throw new Error('it is not a file');
    return new OwnerOnlyFile(path);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write ${what} to ${path}: ${(error as Error).message}`);
  }
}
