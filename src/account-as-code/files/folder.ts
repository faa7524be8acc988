import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * The paths of the files of a folder that end in .yaml or .yml, relative to it and in order.
 * @param left folders that are not read, as absolute paths
 */
export function yamlFiles(folder: string, left: readonly string[]): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = (path: string) => {
    const real = realpathSync(join(folder, path));
    // A link may lead back.
    if (seen.has(real)) return;
    seen.add(real);
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(join(folder, inner)));
      if (isFolder) {
        if (!left.includes(resolve(folder, inner)) && isInside(folder, join(folder, inner))) visit(inner);
      } else if (/\.ya?ml$/.test(entry.name)) found.push(inner);
    }
  };
  visit('');
  return found.sort((one, other) => (one < other ? -1 : 1));
}

/** Whether a path is a folder. A link that leads nowhere, or only to itself, is none. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The text of a file in UTF-8. @returns what was expected instead, when it cannot be read */
export function textOf(path: string, { keepsMark = false } = {}): { text: string } | { problem: string } {
  let bytes: Buffer;
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) return { problem: 'must be a file' };
    bytes = readFileSync(path);
  } catch (error) {
    return { problem: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? ''}` };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsMark }).decode(bytes) };
  } catch {
    return { problem: 'must be text in UTF-8' };
  }
}

/**
 * Reads the text that `!file` names.
 * @param folder the folder that it must stay inside
 * @param from the file that names it, relative to the folder
 * @returns what was expected instead, when it cannot be read
 */
export function readText(folder: string, from: string, name: string): { text: string } | { problem: string } {
  const path = resolve(folder, dirname(from), name);
  if (isAbsolute(name) || !isWithin(resolve(folder), path)) return { problem: `!file ${name}: must be inside of the folder` };
  if (!existsSync(path)) return { problem: `!file ${name}: there is no such file` };
  if (!isInside(folder, path)) return { problem: `!file ${name}: must be inside of the folder, links included` };
  if (!statSync(path).isFile()) return { problem: `!file ${name}: must be a file` };
  const read = textOf(path, { keepsMark: true });
  return 'problem' in read ? { problem: `!file ${name}: ${read.problem}` } : read;
}

/** Whether a path stays inside of a folder, where its links lead. */
export function isInside(folder: string, path: string): boolean {
  return isWithin(realpathSync(folder), realpathSync(path));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
