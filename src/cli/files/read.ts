import { describeReadError } from '../../contract/file-errors.ts';
import { decodePlainText } from '../../contract/text/plain-text.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { World } from '../world.ts';

/** Reads a file given by the user. @throws CliError 1 if it cannot be read */
export async function readUserFile(file: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(file);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot read ${file}: ${describeReadError(error)}`);
  }
}

/** Reads a text file given by the user. @throws CliError 1 if it cannot be read, 2 if it is not UTF-8 */
export async function readUserText(file: string): Promise<string> {
  return textOf(await readUserFile(file), file);
}

/** Reads all of stdin, as text. @throws CliError 2 if it is not UTF-8 */
export async function readStdin({ stdin }: World): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
  return textOf(Buffer.concat(chunks), 'stdin');
}

/** Decodes a text. @param source where the bytes come from @throws CliError 2 if they are neither UTF-8 nor UTF-16 with a mark */
export function textOf(bytes: Uint8Array, source: string): string {
  try {
    return decodePlainText(bytes);
  } catch {
    throw usageError(`${source} is not text in UTF-8`, 'Convert it first, for example with `iconv -f UTF-16 -t UTF-8`.');
  }
}
