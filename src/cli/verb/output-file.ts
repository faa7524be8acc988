import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeWriteError } from '../../contract/file-errors.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { OwnerOnlyFile, UnsafeFile } from '../files/owner-only.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Options, OptionSpec } from './noun.ts';

/** The option for the output file of an export. */
export const outOption: OptionSpec = {
  flags: '--out <file>',
  summary: 'write to this file, readable only by you; --yes replaces a file that exists',
  completes: 'file',
};

/**
 * Whether an export returns its records for `--query` or `--jq` instead of the text of a file.
 * @throws CliError 2 if `--format` or `--out` is used too
 */
export function isSelection({ query, jq }: GlobalOptions, { format, out }: Options): boolean {
  const option = query !== undefined ? '--query' : jq !== undefined ? '--jq' : undefined;
  if (option === undefined) return false;
  const other = format !== undefined ? '--format' : out !== undefined ? '--out' : undefined;
  if (other !== undefined)
    throw usageError(
      `${option} and ${other} cannot be used together: ${option} selects from records, and ${other} writes the text of a file`,
      'Use only one of them.',
    );
  return true;
}

/** Describes a file to be written, for error messages. */
interface Purpose {
  /** The option for the path. */
  readonly flag: string;
  /** `the key` */
  readonly what: string;
  /** Whether an existing file can be replaced. */
  readonly replaces: boolean;
  /** Whether it is a secret, which is never written through a symbolic link. */
  readonly isSecret?: boolean;
  /** The hint for a file that already exists. */
  readonly hint?: string;
}

/**
 * Prepares a file that only its owner can read, before the data is available.
 * @throws CliError 1 if it cannot be written, 2 if it already exists or its folder does not
 */
export function openOutputFile(
  path: string,
  { flag, what, replaces, isSecret = false, hint = 'Choose a new file, or add --yes to replace it.' }: Purpose,
): OwnerOnlyFile {
  if (path === '') throw usageError(`${flag} must not be empty`);
  if (path === '-') throw usageError(`${flag} must be the name of a file, not -`);
  if (isSecret && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new UnsafeFile(path, 'a symbolic link');
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing?.isFile() && !replaces) throw usageError(`The file ${path} exists`, hint);
  requireFolderOf(path, flag);
  try {
    if (existing?.isFile() === false) throw new Error('it is not a file');
    const file = new OwnerOnlyFile(path, !isSecret);
    file.check();
    return file;
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write ${what} to ${path}: ${describeWriteError(error)}`);
  }
}

/** @throws CliError 2 if the folder of a file does not exist. @param flag the option that names the file */
export function requireFolderOf(path: string, flag: string): void {
  if (!existsSync(dirname(path))) throw usageError(`There is no folder ${dirname(path)} for ${flag}`);
}
