import { posix } from 'node:path';
import { sql } from 'kysely';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { documentBytes, Unreadable } from './reading/document.ts';

/**
 * The path of a file in the storage of an account, normalised.
 * @throws ApiError 403 when it leads out of the account's own files
 */
export function ownPath(accountId: string, path: string): string {
  const normal = posix.normalize(path);
  const own = `users/${accountId}/uploads/`;
  if (normal.startsWith(own) && normal !== own && !path.includes('\0')) return normal;
  throw new ApiError(403, `storage_path: must be a file of this account, below ${own}`);
}

/** Reads a file of the storage. @throws Unreadable when there is none, or it is too large, before its content is in memory */
export async function readFile(db: Db, accountId: string, path: string): Promise<Uint8Array> {
  const files = db.selectFrom('uploads').where('path', '=', path).where('account_id', '=', accountId);
  const file = await files.select(sql<number>`length(content)`.as('size')).executeTakeFirst();
  if (!file) throw new Unreadable('There is no such file in the storage of the account: upload it first');
  if (file.size > documentBytes) throw new Unreadable('The document is larger than 10 MiB: split it into smaller ones');
  return (await files.select('content').executeTakeFirstOrThrow()).content;
}

/** The name of a file. */
export function nameOf(path: string): string {
  return posix.basename(path);
}
