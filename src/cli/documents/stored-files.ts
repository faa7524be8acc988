import { basename, posix } from 'node:path';
import { documentEndings, formatOfName, mediaTypes } from '../../contract/areas/kb/formats.ts';
import { addUpload } from '../../contract/areas/sandbox/accounts.ts';
import { getMe } from '../../contract/areas/whoami/endpoints.ts';
import type { Options, OptionSpec, Session } from '../verb/noun.ts';
import { parseRepeated } from '../verb/values.ts';
import { usageError } from '../errors.ts';
import { readUserFile } from '../files/read.ts';

/** The option for documents that are already in the storage of the account. */
export const storagePathOption: OptionSpec = {
  flags: '--storage-path <path>',
  summary: 'a document in the storage of the account; can be repeated',
  parse: parseRepeated,
};

/** A document in the storage of the account. */
export interface StoredFile {
  readonly storage_path: string;
  readonly filename: string;
  readonly mime_type: string;
}

/** A document in the storage. @throws CliError 2 if its format cannot be imported */
function storedFile(path: string): StoredFile {
  const format = formatOfName(path);
  if (!format) throw usageError(`'${path}' is not a document`, `Documents end in ${documentEndings}.`);
  return { storage_path: path, filename: posix.basename(path), mime_type: mediaTypes[format] };
}

/** The documents in the storage that the options refer to. @throws CliError 2 if a format cannot be imported */
export function storedFiles({ storagePath = [] }: Options): StoredFile[] {
  return (storagePath as readonly string[]).map(storedFile);
}

/**
 * Returns documents in the storage: local files, which are uploaded, and those that are already there.
 * @throws the errors of `uploadFiles`
 */
export async function allStored(
  session: Session,
  { files, stored }: { readonly files: readonly string[]; readonly stored: readonly StoredFile[] },
): Promise<StoredFile[]> {
  return [...(await uploadFiles(session, files)).map(storedFile), ...stored];
}

/**
 * Uploads local files to the storage of the account; only the sandbox has an endpoint for this. All files are read before the
 * first one is uploaded.
 * @throws CliError 1 if a file cannot be read, 2 if the service is not a sandbox
 * @returns their paths in the storage
 */
export async function uploadFiles({ targets }: Session, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const sandbox = await targets.sandboxAtHand();
  if (!sandbox)
    throw usageError('Files of this machine can be uploaded to a sandbox only', 'Upload them in the app, and give --storage-path.');
  const contents: Buffer[] = [];
  for (const file of files) contents.push(await readUserFile(file));
  const { user } = await (await targets.client()).call(getMe, {});
  const stored: string[] = [];
  for (const [index, file] of files.entries()) {
    const query = { filename: basename(file) };
    const bytes = contents[index] as Buffer;
    stored.push((await sandbox.call(addUpload, { params: { id: user.id }, query, bytes })).storage_path);
  }
  return stored;
}
