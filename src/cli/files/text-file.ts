import { statSync } from 'node:fs';
import { describeWriteError } from '../../contract/file-errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import { AtomicFile } from './atomic-file.ts';

/** Finds out before there is anything to write whether a text can be written to a file. @throws CliError 1 if it cannot */
export function checkTextFile(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
    new AtomicFile(path).check();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Writes a text to a file, which has either all of it or what it had before. @throws CliError 1 if it cannot be written */
export function writeTextFile(path: string, text: string): void {
  const file = new AtomicFile(path);
  try {
    file.commit(text);
  } catch (error) {
    throw cannotWrite(path, error);
  } finally {
    file.close();
  }
}

function cannotWrite(path: string, error: unknown): CliError {
  return new CliError(exitCodes.failed, 'file', `Cannot write ${path}: ${describeWriteError(error)}`);
}
