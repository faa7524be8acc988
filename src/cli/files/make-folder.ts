import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. Node's own recursive mode never returns for paths below /proc.
 * @param mode the permissions; by default, only the owner has access
 * @throws Error if it cannot be created
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether nothing could be written to a folder: it is read-only or belongs to somebody else, or none can be created there. */
export function isNotWritable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
