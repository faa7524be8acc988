import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { OwnerOnlyFile } from '../files/owner-only.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Options, OptionSpec } from './noun.ts';

/** The option of an export that names its file. */
export const outOption: OptionSpec = {
  flags: '--out <file>',
  summary: 'write to this file, readable only by you; --yes replaces a file that exists',
  completes: 'file',
};

/**
 * Whether an export is the list of its records, from which `--query` or `--jq` selects, and not the text of a file.
 * @throws CliError 2 when `--format` or `--out` asks for that text too
 */
export function isSelection({ query, jq }: GlobalOptions, { format, out }: Options): boolean {
  const option = query !== undefined ? '--query' : jq !== undefined ? '--jq' : undefined;
  if (option === undefined) return false;
  const other = format !== undefined ? '--format' : out !== undefined ? '--out' : undefined;
  if (other !== undefined) throw usageError(`${option} selects from the records, and ${other} is for the text of a file`, 'Give only one.');
  return true;
}

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
 * @throws CliError 1 when it cannot be written, 2 when it exists, or when its folder does not
 */
export function openOutputFile(
  path: string,
  { flag, what, replaces, hint = 'Choose a new file, or add --yes to replace it.' }: Purpose,
): OwnerOnlyFile {
  if (path === '') throw usageError(`${flag} must not be empty`);
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing?.isFile() && !replaces) throw usageError(`The file ${path} exists`, hint);
  if (!existsSync(dirname(path))) throw usageError(`There is no folder ${dirname(path)} for ${flag}`);
  try {
    if (existing?.isFile() === false) throw new Error('it is not a file');
    return new OwnerOnlyFile(path);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot write ${what} to ${path}: ${(error as Error).message}`);
  }
}
