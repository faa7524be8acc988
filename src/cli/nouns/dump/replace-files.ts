import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeWriteError } from '../../../contract/file-errors.ts';
import { textOf } from '../../../account-as-code/files/folder.ts';
import { someOf } from '../../../contract/text/some-of.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { AtomicFile } from '../../files/atomic-file.ts';
import { makeFolder } from '../../files/make-folder.ts';

/** What to do with files of a folder, by their paths in it. */
interface Replacement {
  /** The texts of the files as they were read. A file that was not read must not exist. */
  readonly read: ReadonlyMap<string, string>;
  readonly written: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
}

/**
 * Writes and removes files of a folder. If one of them was changed since it was read, or a file cannot be written, none is replaced.
 * @throws CliError 6 if one was changed, 1 if one cannot be written
 */
export function replaceFiles(folder: string, { read, written, removed }: Replacement): void {
  const files: AtomicFile[] = [];
  let path = folder;
  try {
    for (const [name, text] of written) {
      path = join(folder, name);
      makeFolder(dirname(path), 0o777);
      const file = new AtomicFile(path);
      files.push(file);
      file.write(text);
    }
    const names = [...written.keys(), ...removed];
    const conflicts = names.filter((name) => !isAsRead(join(folder, name), read.get(name), written.get(name)));
    if (conflicts.length > 0) throw conflictError(folder, conflicts, read);
    path = folder;
    for (const file of files) file.replace();
    for (const name of removed) rmSync((path = join(folder, name)), { force: true });
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(exitCodes.failed, 'file', `Cannot write ${path}: ${describeWriteError(error)}`);
  } finally {
    for (const file of files) file.close();
  }
}

/** Whether a file has the text that was read, or else already the new one. @param before undefined if there was no file */
function isAsRead(path: string, before: string | undefined, after: string | undefined): boolean {
  if (!existsSync(path)) return before === undefined;
  const now = textOf(path);
  return 'text' in now && [before, after].includes(now.text);
}

function conflictError(folder: string, names: readonly string[], read: ReadonlyMap<string, string>): CliError {
  const changed = names.filter((name) => read.has(name));
  const [message, remedy] =
    changed.length > 0
      ? [`These files changed while msgctl was reading the account: ${someOf(changed)}`, 'Dump again']
      : [`These files exist, but dump did not read them: ${someOf(names)}`, 'Rename or delete it, and dump again'];
  return new CliError(exitCodes.conflict, 'conflict', message, { hint: `Nothing in ${folder} was replaced. ${remedy}.` });
}
