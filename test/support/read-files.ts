import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of the files in a folder and below it, by their paths, in order. */
export function readFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
