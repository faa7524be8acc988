import { afterAll, beforeAll, expect, it } from 'vitest';
import { nouns } from '../../src/cli/nouns.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeAll(() => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox' };
});

afterAll(() => home.remove());

const aliases = nouns.flatMap(({ name, aliases: others = [], note }) =>
  others.map((alias): [string, string, string] => [alias, name, note ?? '']),
);

it('the words of the paths are aliases', () => {
  expect(aliases.map(([alias, name]) => `${alias}: ${name}`)).toEqual([
    'api-keys: keys',
    'subaccounts: accounts',
    'sub-accounts: accounts',
    'chat-sessions: sessions',
    'short-links: links',
  ]);
});

it.each(aliases)('%s works like %s', async (alias, name, note) => {
  expect(await home.run(alias, 'list', '-o', 'json')).toMatchObject({ code: 0, stderr: '' });
  expect((await home.run('-p', 'sandbox', alias, 'list')).stdout).toBe((await home.run('-p', 'sandbox', name, 'list')).stdout);
  const help = await home.run(name, '--help');
  expect(help.stdout).toContain(note);
  expect(note).toMatch(/^The interface calls them .+: \/[\w-]+\.$/);
  expect((await home.run(alias, '--help')).stdout).toBe(help.stdout);
  expect((await home.run('help', alias)).stdout).toBe(help.stdout);
  expect((await home.run(alias)).stderr).toContain(`msgctl ${name} needs a verb`);
});

it.each(aliases)('a shell completes what follows %s, but does not offer the alias', async (alias, name) => {
  const verbs = (await home.run('complete', '--', name, '')).stdout;
  expect(verbs).toContain('list\t');
  expect((await home.run('complete', '--', alias, '')).stdout).toBe(verbs);
  const offered = (await home.run('complete', '--', alias.slice(0, 4))).stdout;
  expect(offered).not.toContain(alias);
});
