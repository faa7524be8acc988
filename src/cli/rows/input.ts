import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { describeReadError } from '../../contract/file-errors.ts';
import type { Options } from '../verb/noun.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { World } from '../world.ts';
import { openRows } from './files/open.ts';
import type { IsHeading } from './files/table.ts';
import type { ImportFormat, RecordKind, Source } from './files/source.ts';

/** A file of rows that was opened. */
export interface ImportInput {
  readonly kind: RecordKind;
  readonly stream: Readable;
  /** Null if the input is not a file. */
  readonly stats: Stats | null;
  readonly source: Source;
}

/**
 * Opens a file of rows; `-` is stdin.
 * @param options the values of `importOptions`
 * @param isHeading finds the heading of a table below a title; by default, the first row is the heading
 * @throws CliError 1 if it cannot be read, 2 if the encoding or the sheet is unknown
 */
export async function openInput(
  file: string,
  kind: RecordKind,
  { stdin }: World,
  options: Options,
  isHeading?: IsHeading,
): Promise<ImportInput> {
  const { stream, stats } = file === '-' ? { stream: stdin, stats: statsOf(stdin) } : await openFile(file);
  const source = await openRows(stream, file, {
    kind,
    format: options.format as ImportFormat | undefined,
    encoding: options.encoding as string | undefined,
    sheet: options.sheet as string | undefined,
    isHeading,
    size: stats?.isFile() ? stats.size : undefined,
  });
  return { kind, stream, stats, source };
}

async function openFile(file: string): Promise<Pick<ImportInput, 'stream' | 'stats'>> {
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) throw new Error('it is a directory');
    return { stream: createReadStream(file), stats };
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot read ${file}: ${describeReadError(error)}`);
  }
}

/** The file of a stream; null if it is not a file. */
function statsOf(stream: Readable): Stats | null {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === 'number' ? fstatSync(fd) : null;
}
