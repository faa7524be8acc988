import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

// cli -> client -> contract <- service; cli reaches the service by dynamic import only, in two places.

interface Import {
  readonly from: string;
  readonly to: string;
  readonly kind: 'static' | 'type' | 'dynamic';
}

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const resolve = (target: string) => (target.startsWith('.') ? normalize(join(dirname(file), target)) : target);
  const statics = [...source.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gm)].map(([, type, target = '']): Import => ({
    from: file,
    to: resolve(target),
    kind: type ? 'type' : 'static',
  }));
  const dynamics = [...source.matchAll(/\bimport\('([^']+)'\)/g)].map(([, target = '']): Import => ({
    from: file,
    to: resolve(target),
    kind: 'dynamic',
  }));
  return [...statics, ...dynamics];
}

const files = globSync('src/**/*.ts');
const imports = files.flatMap(importsOf);
const room = (path: string) => /^src\/(contract|client|cli|service)\//.exec(path)?.[1];

const allowed: Record<string, readonly string[]> = {
  contract: ['contract'],
  client: ['client', 'contract'],
  service: ['service', 'contract'],
  cli: ['cli', 'client', 'contract'],
};

describe('imports', () => {
  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(200);
    for (const { to, from } of imports) if (to.startsWith('src/')) expect(files, `${from} imports it`).toContain(to);
  });

  it('run one way', () => {
    const wrong = imports.filter(({ from, to }) => room(from) && room(to) && !allowed[room(from) ?? '']?.includes(room(to) ?? ''));
    const intoTheService = wrong.filter(({ from, to }) => room(from) === 'cli' && room(to) === 'service');
    expect(wrong.filter((each) => !intoTheService.includes(each))).toEqual([]);
    const values = intoTheService.filter(({ kind }) => kind !== 'type');
    // The in-process transport is itself loaded with the service, never without it.
    expect(values.map(({ from, kind }) => `${relative('src/cli', from)} ${kind}`).sort()).toEqual([
      'nouns/serve.ts dynamic',
      'target/in-process-transport.ts static',
      'target/targets.ts dynamic',
    ]);
  });

  it('of the contract name zod and what signs, and nothing else from outside', () => {
    const outside = imports.filter(({ from, to }) => room(from) === 'contract' && !to.startsWith('src/')).map(({ to }) => to);
    expect(new Set(outside)).toEqual(new Set(['zod', 'node:crypto']));
  });

  it('of a noun load no other noun', () => {
    const between = imports.filter(
      ({ from, to }) =>
        dirname(from) === 'src/cli/nouns' &&
        to.includes('cli/nouns/') &&
        // What a noun keeps in a folder of its own is its own.
        !to.startsWith(from.replace('.ts', '/')),
    );
    expect(between).toEqual([]);
  });
});
