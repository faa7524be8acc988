import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

// The folders of the command line import one another in one direction only; type imports count too.

/** The folder directly below src/cli that holds a file; undefined for files in src/cli itself or outside. */
const folderOf = (path: string) => /^src\/cli\/([\w-]+)\//.exec(path)?.[1];

const edges = new Map<string, Set<string>>();
for (const file of globSync('src/cli/*/**/*.ts')) {
  const source = readFileSync(file, 'utf8');
  const targets = [...source.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, target = '']) => normalize(join(dirname(file), target)));
  const from = folderOf(file) ?? '';
  const folders = targets.map(folderOf).filter((folder) => folder !== undefined && folder !== from) as string[];
  edges.set(from, new Set([...(edges.get(from) ?? []), ...folders]));
}

it('the folders of the command line import one another without cycles', () => {
  expect(edges.size).toBeGreaterThan(6);
  const reachable = (folder: string, seen = new Set<string>()): Set<string> => {
    for (const next of edges.get(folder) ?? []) if (!seen.has(next)) reachable(next, seen.add(next));
    return seen;
  };
  for (const folder of edges.keys()) expect([...reachable(folder)], `${folder} imports itself`).not.toContain(folder);
});
