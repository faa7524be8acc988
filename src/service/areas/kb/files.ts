import { posix } from 'node:path';
import type { Db } from '../../store/database.ts';
import { findFile } from '../uploads/files.ts';
import { documentBytes, Unreadable } from './reading/document.ts';

/**
 * Reads a file from the storage. @throws Unreadable when it does not exist or is too large; its content is not loaded in that
 * case
 */
export async function readFile(db: Db, accountId: string, path: string): Promise<Uint8Array> {
  const file = await findFile(db, accountId, path, documentBytes);
  if (!file) throw new Unreadable('There is no such file in the storage of the account: upload it first', { code: 'not_found' });
  if (!file.content) throw new Unreadable('The document is larger than 10 MiB: split it into smaller ones', { code: 'too_large' });
  return file.content;
}

/** The file name in a path. */
export function fileNameOf(path: string): string {
  return posix.basename(path);
}
