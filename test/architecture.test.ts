import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const areas = 'src/service/areas';
const rooms = globSync(['src/**/*.md', 'test/**/README.md']);
const read = (file: string) => readFileSync(file, 'utf8');

/** The areas of each layer, by the list in the README of the areas: those of layer 0 import no other. */
const layers = [...read(`${areas}/README.md`).matchAll(/^\d+\. ([a-z, -]+)$/gm)].map(([, names = '']) => names.split(', '));

/** The areas that an area imports. */
function importedBy(area: string): string[] {
  const files = globSync(`${areas}/${area}/**/*.ts`);
  const paths = files.flatMap((file) => [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path)));
  const names = paths.filter((path) => path.startsWith(`${areas}/`)).map((path) => path.split('/')[3] ?? '');
  return [...new Set(names)].filter((name) => name !== area);
}

describe('ARCHITECTURE.md and the READMEs of the folders', () => {
  it('is read in a quarter of an hour', () => {
    expect(read('ARCHITECTURE.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(2_500);
  });

  it.each(['ARCHITECTURE.md', ...rooms])('%s names paths that exist', (file) => {
    const quoted = [...read(file).matchAll(/`((?:src|test|docs|scripts)\/[^`\s]*)`/g)].map(([, path = '']) => path);
    // `src/cli/nouns/<noun>.ts` stands for any noun.
    const missing = quoted.filter((path) => !path.includes('NNN') && globSync(path.replace(/<\w+>/g, '*')).length === 0);
    expect(missing).toEqual([]);
  });

  it.each(['ARCHITECTURE.md', ...rooms])('%s links to files that exist', (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => join(dirname(file), path));
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });

  it.each(rooms)('%s names files of its own folder that exist', (file) => {
    const quoted = [...read(file).matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path);
    const own = quoted.filter((path) => !/^(src|test|docs|scripts)\//.test(path));
    expect(own.filter((path) => globSync(`${dirname(file)}/**/${path}`).length === 0)).toEqual([]);
  });
});

describe('the layers of the areas', () => {
  it('have every area once', () => {
    const folders = readdirSync(areas, { withFileTypes: true }).filter((each) => each.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => layers.filter((names) => names.includes(name)).length !== 1)).toEqual([]);
  });

  it('are above those that an area imports', () => {
    const layerOf = (area: string) => layers.findIndex((names) => names.includes(area));
    const upward = layers
      .flat()
      .flatMap((area) => importedBy(area).flatMap((other) => (layerOf(other) < layerOf(area) ? [] : [[area, other]])));
    expect(upward).toEqual([]);
  });
});
