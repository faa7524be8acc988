import { CliError, exitCodes } from '../errors.ts';
import type { World } from '../world.ts';

/** Reads a file given by the user. @throws CliError 1 if it cannot be read */
export async function readUserFile(file: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(file);
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot read ${file}: ${describeFileError(error)}`);
  }
}

/** Reads all of stdin, as text. */
export async function readStdin({ stdin }: World): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString();
}

const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
  EISDIR: 'it is a directory',
};

/** Why a file could not be read. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return fileErrors[code] ?? message;
}
