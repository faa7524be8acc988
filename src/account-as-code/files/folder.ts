import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import nodePath, { dirname, isAbsolute, join, posix, relative, resolve } from 'node:path';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import { describeReadError } from '../../contract/file-errors.ts';
import { decodePlainText } from '../../contract/text/plain-text.ts';
import { sizeText } from '../../contract/text/size-text.ts';
import { realPath } from './real-path.ts';

/**
 * The .yaml and .yml files below a folder, and the links to folders that are not below it, as sorted relative paths.
 * @param left absolute paths of folders to skip
 */
export function yamlFiles(folder: string, left: readonly string[]): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = (path: string) => {
    const real = realPath(join(folder, path));
    // A symbolic link can lead back to a folder that was already visited.
    if (seen.has(real)) return;
    seen.add(real);
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(join(folder, inner)));
      if (isFolder && left.includes(resolve(folder, inner))) continue;
      if (isFolder && isVisibleInside(folder, join(folder, inner))) visit(inner);
      else if (isFolder || /\.ya?ml$/.test(entry.name)) found.push(inner);
    }
  };
  visit('');
  return found.sort(compareTexts);
}

/** Whether a path is a folder. False for a symbolic link that is broken or refers to itself. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The most bytes of a file. Reading a larger one could take all memory. */
export const mostBytes = 16 * 1024 * 1024;

/** Reads a text file. @returns the text, or the problem if the file cannot be read */
export function textOf(path: string): { text: string } | { problem: string } {
  let bytes: Buffer;
  try {
    // Reading a pipe would block.
    const stats = statSync(path);
    if (!stats.isFile()) return { problem: 'must be a file' };
    if (stats.size > mostBytes) return { problem: `must have at most ${sizeText(mostBytes)}: split it into several files` };
    bytes = readFileSync(path);
  } catch (error) {
    return { problem: `cannot be read: ${describeReadError(error)}` };
  }
  try {
    return { text: decodePlainText(bytes) };
  } catch {
    return { problem: 'must be UTF-8 text' };
  }
}

/** The path of a text file in its folder. @param from the YAML file that names it, relative to the folder */
export function besideOf(from: string, name: string): string {
  return posix.normalize(posix.join(posix.dirname(from), name));
}

/**
 * Reads the text file that a `!file` tag refers to. It must be inside of the folder, and not hidden there: somebody else's files
 * could name what a program keeps in a hidden folder.
 * @param from the YAML file with the tag, relative to the folder
 * @returns the text, or the problem if it cannot be read
 */
export function readText(folder: string, from: string, name: string): { text: string } | { problem: string } {
  const path = resolve(folder, dirname(from), name);
  if (isAbsolute(name) || !isWithin(resolve(folder), path)) return { problem: `!file ${name}: must be inside the folder` };
  if (hasHiddenName(name)) return { problem: `!file ${name}: must not have a name that begins with a dot in its path` };
  if (!existsSync(path)) return { problem: `!file ${name}: there is no such file` };
  if (!isInside(folder, path)) return { problem: `!file ${name}: must be inside the folder, also after following links` };
  if (!isVisibleInside(folder, path))
    return { problem: `!file ${name}: must not have a name that begins with a dot in its path, links included` };
  if (!statSync(path).isFile()) return { problem: `!file ${name}: must be a file` };
  const read = textOf(path);
  return 'problem' in read ? { problem: `!file ${name}: ${read.problem}` } : read;
}

/**
 * Whether a file can be written or removed in a folder without leaving it through a symbolic link.
 * @param file relative to the folder; it need not exist
 */
export function staysInside(folder: string, file: string): boolean {
  let path = join(folder, file);
  while (!lstatSync(path, { throwIfNoEntry: false })) path = dirname(path);
  return existsSync(path) && isVisibleInside(folder, path);
}

/** Whether a path is inside of a folder after symbolic links are resolved. */
export function isInside(folder: string, path: string): boolean {
  return isWithin(realPath(folder), realPath(path));
}

/** Whether a path is inside of a folder after symbolic links are resolved, and no name below the folder begins with a dot. */
export function isVisibleInside(folder: string, path: string): boolean {
  return isInside(folder, path) && !hasHiddenName(relative(realPath(folder), realPath(path)));
}

/** Whether a name in a relative path begins with a dot, as that of a hidden file does. */
export function hasHiddenName(path: string): boolean {
  return path.split(/[\\/]/).some((name) => name.startsWith('.') && name !== '.' && name !== '..');
}

/** Whether a path is a folder or inside of it, as the paths are written. @param system whose paths they are; by default, this one */
export function isWithin(folder: string, path: string, system = nodePath): boolean {
  const way = system.relative(folder, path);
  return way !== '..' && !way.startsWith(`..${system.sep}`) && !system.isAbsolute(way);
}
