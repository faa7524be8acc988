import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { hasHiddenName, isDirectory, isWithin } from './folder.ts';
import { realPath } from './real-path.ts';

/**
 * The folder below which the bases of a folder may be: else a folder of somebody else could read what is anywhere on the machine.
 * @param folder the folder that the command names; it need not exist
 * @param given the folder of `--base-root`
 * @param holdsAccounts whether the folder holds a folder for each account
 * @returns the path without links: what is given, or the git checkout that holds the folder, or the parent of the folder
 */
export function baseRootOf(folder: string, given: string | undefined, holdsAccounts: boolean): string {
  if (given !== undefined) return realPath(given);
  const real = pathWithoutLinks(folder);
  return checkoutOf(real) ?? (holdsAccounts ? real : dirname(real));
}

/** The absolute path of a folder, which need not exist, without symbolic links. */
export function pathWithoutLinks(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) ? realPath(path) : join(pathWithoutLinks(dirname(path)), basename(path));
}

/** The nearest git checkout that holds a folder; undefined if there is none. */
function checkoutOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  return dirname(folder) === folder ? undefined : checkoutOf(dirname(folder));
}

/**
 * Finds a base, and says nothing about what a path outside of the root holds.
 * @param named the path of the base, relative to the last folder of `chain`
 * @param chain the folders that build on each other, without links; the last one names the base
 * @param root the folder below which it must be, without links
 * @returns the path of the base without links, or why it is refused
 */
export function findBase(named: string, chain: readonly string[], root: string): { path: string } | { problem: string } {
  const folder = chain.at(-1) ?? root;
  if (isAbsolute(named)) return { problem: `${named}: must be a path relative to this folder` };
  const written = resolve(folder, named);
  if (!isWithin(root, written)) return outside(named, root);
  if (hasHiddenName(named) || hasHiddenName(relative(root, written))) return hidden(named);
  if (!existsSync(written)) return { problem: `there is no folder ${named}` };
  const path = realPath(written);
  if (!isWithin(root, path)) return outside(named, root);
  if (hasHiddenName(relative(root, path))) return hidden(named);
  if (!isDirectory(path)) return { problem: `there is no folder ${named}` };
  if (chain.includes(path)) return { problem: `${named} builds on this folder` };
  return chain.some((each) => isWithin(path, each)) ? { problem: `${named}: must not be a folder above this one` } : { path };
}

function outside(named: string, root: string): { problem: string } {
  return { problem: `${named}: must be below ${root}, links included; --base-root DIR names another folder` };
}

function hidden(named: string): { problem: string } {
  return { problem: `${named}: must not have a name that begins with a dot in its path, links included` };
}
