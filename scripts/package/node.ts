import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import nodes from './nodes.json' with { type: 'json' };
import type { Target } from './targets.ts';

/** The oldest kind of Node on which the program runs, for the check. */
export const olderVersion = nodes.older.version;

/** Fetches the version of Node of the archives. @returns the folder with `bin/node` and its license */
export function fetchOwnNode(name: Target['name'], folder: string): string {
  return fetchNode(name, nodes.version, nodes.integrity[name], folder);
}

/** Fetches the older version of Node, for x64. @returns as `fetchOwnNode` */
export function fetchOlderNode(folder: string): string {
  return fetchNode('linux-x64', olderVersion, nodes.older.integrity['linux-x64'], folder);
}

/** Fetches a version of Node from the registry of npm. @throws Error unless the package has the checksum; nothing is unpacked then */
function fetchNode(name: Target['name'], version: string, integrity: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const pack = ['pack', `node-${name}@${version}`, '--silent', '--pack-destination', folder];
  const file = join(folder, execFileSync('npm', pack, { encoding: 'utf8' }).trim());
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`node-${name}@${version} has the checksum ${found}, not that of scripts/package/nodes.json. Do not use it.`);
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  return join(folder, 'package');
}
