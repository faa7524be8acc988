import { basename } from 'node:path';
import type { Client } from '../../client/client.ts';
import { documentEndings, formatOfName, mediaTypes } from '../../contract/areas/kb/formats.ts';
import { addUpload } from '../../contract/areas/sandbox/endpoints.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Session } from '../command/noun.ts';
import { usageError } from '../errors.ts';
import { readUserFile } from '../files/read.ts';

/** A document in the storage of the account. */
export interface StoredFile {
  readonly storage_path: string;
  readonly filename: string;
  readonly mime_type: string;
}

/** A document that is in the storage. @throws CliError 2 when it cannot be imported */
export function storedFile(path: string): StoredFile {
  const format = formatOfName(path);
  if (!format) throw usageError(`'${path}' is not a document`, `Documents end in ${documentEndings}.`);
  return { storage_path: path, filename: basename(path), mime_type: mediaTypes[format] };
}

/**
 * Uploads documents of this machine to the storage of the account, which only the sandbox has a way to do. All are read
 * before the first is uploaded.
 * @throws CliError 1 when one cannot be read, 2 when the service is not a sandbox
 */
export async function uploadFiles({ targets }: Session, client: Client, files: readonly string[]): Promise<StoredFile[]> {
  if (files.length === 0) return [];
  const sandbox = await targets.sandboxAtHand();
  if (!sandbox)
    throw usageError('Documents of this machine can be uploaded to a sandbox only', 'Upload them in the app, and give --storage-path.');
  const contents: Buffer[] = [];
  for (const file of files) contents.push(await readUserFile(file));
  const { user } = await client.call(getMe, {});
  const stored: StoredFile[] = [];
  for (const [index, file] of files.entries()) {
    const query = { filename: basename(file) };
    const bytes = contents[index] as Buffer;
    const { storage_path: path } = await sandbox.call(addUpload, { params: { id: user.id }, query, bytes });
    stored.push(storedFile(path));
  }
  return stored;
}
