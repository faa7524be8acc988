import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nouns } from '../src/cli/nouns.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { endpoints } from '../src/contract/endpoints.ts';

/** The rows of the tables of docs/interface. */
const rows = globSync('docs/interface/*.md').flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ')),
);

describe('every endpoint', () => {
  it('has a verb, unless other verbs call it', async () => {
    const loaded = await Promise.all(nouns.map(({ load }) => load()));
    const called = new Set(loaded.flatMap(({ verbs }) => verbs).map(({ endpoint }) => endpoint?.name));
    const without = endpoints.filter(({ name }) => !called.has(name)).map(({ name }) => name);
    // `openapi`, `whoami`, `agents sources detach`, `faqs delete`, `faqs dedupe` and the verbs of `kb` call these endpoints or
    // similar ones; a browser follows a short link.
    const inVerbs = ['importPage', 'importFile', 'deleteMany', 'compareHost', 'refreshHost', 'getRefresh'].map((name) => `kb.${name}`);
    expect(without).toEqual([
      ...['openapi.get', 'team.list', 'agents.detachSource', 'faqs.deleteMany', 'faqs.getDedupe'],
      ...inVerbs,
      'links.follow',
    ]);
  });

  it.each((endpoints as readonly Endpoint[]).map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s is documented in docs/interface with its path and its permission',
    (name, { method, path, permission }) => {
      const row = rows.find((each) => each.startsWith(`| \`${name}\` | ${method} ${path} |`));
      expect(row).toBeDefined();
      if (permission) expect(row).toContain(`\`${permission}\``);
    },
  );
});

describe('docs/interface/credentials.md', () => {
  const cells = readFileSync('docs/interface/credentials.md', 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));

  /** The row whose cell names the endpoint or its whole area. */
  const rowFor = (column: number, name: string, length: number) =>
    [`\`${name}\``, `\`${name.split('.')[0]}.*\``]
      .map((pattern) => cells.find((row) => row.length === length && row[column]?.includes(pattern)))
      .find((row) => row !== undefined);

  const own = (endpoints as readonly Endpoint[]).filter(({ access }) => access !== 'sandbox' && access !== 'public');

  it.each(own.map((endpoint) => [endpoint.name, endpoint] as const))('has the permission and the section of %s', (name, endpoint) => {
    const { method, permission, access, section } = endpoint;
    const shown = rowFor(1, name, 5)?.[method === 'GET' ? 2 : 3];
    expect(shown).toBe(permission ? `\`${permission}\`` : access === 'owner' ? 'owner only' : 'open');
    expect(rowFor(2, name, 4)?.[1]).toBe(section);
  });
});
