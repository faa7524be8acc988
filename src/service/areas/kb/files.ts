import { posix } from 'node:path';
import { sql } from 'kysely';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { documentBytes, Unreadable } from './reading/document.ts';

/**
 * The normalized path of a file in an account's storage.
 * @throws ApiError 403 when it is outside of the account's own files
 */
export function ownPath(accountId: string, path: string): string {
  const normal = posix.normalize(path);
  const own = `users/${accountId}/uploads/`;
  if (normal.startsWith(own) && normal !== own && !path.includes('\0')) return normal;
  throw new ApiError(403, `storage_path: must be a file of this account, below ${own}`);
}

/**
 * Reads a file from the storage. @throws Unreadable when it does not exist or is too large; its content is not loaded in that
 * case
 */
export async function readFile(db: Db, accountId: string, path: string): Promise<Uint8Array> {
  const files = db.selectFrom('uploads').where('path', '=', path).where('account_id', '=', accountId);
  const file = await files.select(sql<number>`length(content)`.as('size')).executeTakeFirst();
  if (!file) throw new Unreadable('There is no such file in the storage of the account: upload it first', { code: 'not_found' });
  if (file.size > documentBytes)
    throw new Unreadable('The document is larger than 10 MiB: split it into smaller ones', { code: 'too_large' });
  return (await files.select('content').executeTakeFirstOrThrow()).content;
}

/** The file name in a path. */
export function fileNameOf(path: string): string {
  return posix.basename(path);
}
