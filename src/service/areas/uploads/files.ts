import { posix } from 'node:path';
import { sql } from 'kysely';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';

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
 * Reads a file from the storage of an account.
 * @param most the most bytes that are read; a larger file is not loaded
 * @returns its size in bytes, and its content unless it is larger; undefined when there is no such file
 */
export async function findFile(
  db: Db,
  accountId: string,
  path: string,
  most: number,
): Promise<{ readonly size: number; readonly content: Uint8Array | null } | undefined> {
  const files = db.selectFrom('uploads').where('path', '=', path).where('account_id', '=', accountId);
  const file = await files.select(sql<number>`length(content)`.as('size')).executeTakeFirst();
  if (!file || file.size > most) return file && { size: file.size, content: null };
  return { size: file.size, content: (await files.select('content').executeTakeFirstOrThrow()).content };
}
