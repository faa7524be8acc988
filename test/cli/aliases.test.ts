import { describe, expect } from 'vitest';
import { findNoun, nouns, singularOf } from '../../src/cli/nouns.ts';
import { it as base } from '../support/shared-home-test.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });

const aliases = nouns.flatMap(({ name, aliases: others = [], note }) =>
  others.map((alias): [string, string, string] => [alias, name, note ?? '']),
);

it('the nouns in API paths are aliases', () => {
  expect(aliases.map(([alias, name]) => `${alias}: ${name}`)).toEqual([
    'api-keys: keys',
    'error-log: errors',
    'account-config: config',
    'subaccounts: accounts',
    'sub-accounts: accounts',
    'white-label: branding',
    'chat-sessions: sessions',
    'scheduled-tasks: schedules',
    'phone-numbers: numbers',
    'kb-sources: kb',
    'chatapp-templates: templates',
    'short-links: links',
    'custom-functions: functions',
    'mcp-servers: tool-servers',
    'entry-points: routing',
    'channel-routing: routing',
  ]);
});

/** The words of a verb of a noun that reads. */
const listWords = (name: string) => ({ routing: ['rules', 'list'], config: ['show'], branding: ['show'] })[name] ?? ['list'];

it.for(aliases)('%s works like %s', async ([alias, name, note], { home }) => {
  const list = listWords(name);
  expect(await home.run(alias, ...list, '-o', 'json')).toMatchObject({ code: 0, stderr: '' });
  expect((await home.run('-p', 'sandbox', alias, ...list)).stdout).toBe((await home.run('-p', 'sandbox', name, ...list)).stdout);
  const help = await home.run(name, '--help');
  expect(help.stdout).toContain(note);
  expect(note).toMatch(/^The API calls them .+: \/[\w-]+\.$/);
  expect((await home.run(alias, '--help')).stdout).toBe(help.stdout);
  expect((await home.run('help', alias)).stdout).toBe(help.stdout);
  expect((await home.run(alias)).stderr).toContain(`msgctl ${name} needs a verb`);
});

it.for(aliases)('shell completion works after %s, but does not offer the alias', async ([alias, name], { home }) => {
  const verbs = (await home.run('complete', '--', name, '')).stdout;
  expect(verbs).toContain(`${listWords(name)[0]}\t`);
  expect((await home.run('complete', '--', alias, '')).stdout).toBe(verbs);
  const offered = (await home.run('complete', '--', alias.slice(0, 4))).stdout;
  expect(offered).not.toContain(alias);
});

describe('the singular of a noun', () => {
  const plurals = nouns.filter(({ name }) => singularOf(name) !== undefined).map(({ name }) => name);

  it('is an alias of every plural noun', () => {
    const others = nouns.map(({ name }) => name).filter((name) => !plurals.includes(name));
    expect(others).toEqual([
      ...['login', 'logout', 'whoami', 'health', 'status', 'config', 'team', 'billing', 'agency', 'branding', 'batch'],
      ...['dump', 'diff', 'apply', 'undo', 'schema', 'kb', 'routing'],
      ...['export', 'serve', 'sandbox', 'api', 'mcp', 'openapi', 'completion'],
    ]);
    for (const { name, aliases: words = [] } of nouns)
      for (const word of [name, ...words]) expect(findNoun(singularOf(word) ?? word)?.name).toBe(name);
  });

  it.each([
    ['tags', 'tag'],
    ['replies', 'reply'],
    ['sub-accounts', 'sub-account'],
    ['status', undefined],
    ['access', undefined],
    ['serve', undefined],
  ])('singularOf(%j) is %j', (plural, singular) => {
    expect(singularOf(plural)).toBe(singular);
  });

  it.for(plurals)('works like %s, but is not offered by completion', async (name, { home }) => {
    const singular = singularOf(name) ?? '';
    const { code, stdout } = await home.run(singular, '--help');
    expect([code, stdout]).toEqual([0, (await home.run(name, '--help')).stdout]);
    const offered = (await home.run('complete', '--', singular)).stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(offered).not.toContain(singular);
  });
});

describe('verb aliases that other programs use', async () => {
  const verbs = await Promise.all(
    nouns.map(async (entry) => {
      const noun = await entry.load();
      return noun.verbs.map(({ name }) => ({ noun: noun.name, path: name.split(' ').slice(0, -1), last: name.split(' ').at(-1) ?? '' }));
    }),
  );
  const all = verbs.flat();
  /** Whether a noun, or a group of its verbs, has a verb of this name. */
  const has = (noun: string, path: readonly string[], name: string) =>
    all.some((verb) => verb.noun === noun && verb.path.join(' ') === path.join(' ') && verb.last === name);
  const meant = (alias: string, ...names: string[]) =>
    all
      .filter(({ noun, path, last }) => !has(noun, path, alias) && names.find((name) => has(noun, path, name)) === last)
      .map(({ noun, path, last }): [string[], string[]] => [
        [noun, ...path, alias],
        [noun, ...path, last],
      ]);
  const cases = [...meant('ls', 'list'), ...meant('rm', 'delete', 'remove', 'revoke'), ...meant('show', 'get'), ...meant('get', 'show')];

  it('exist for every noun and group with such a verb', () => {
    const lines = cases.map(([alias, words]) => `${alias.join(' ')}: ${words.join(' ')}`);
    for (const line of [
      'contacts ls: contacts list',
      'sandbox faults ls: sandbox faults list',
      'tags rm: tags delete',
      'lists rm: lists delete',
      'keys rm: keys revoke',
      'profiles rm: profiles remove',
      'webhooks secret rm: webhooks secret remove',
      'contacts show: contacts get',
      'profiles get: profiles show',
    ])
      expect(lines).toContain(line);
    expect(cases.filter(([alias]) => alias.at(-1) === 'ls')).toHaveLength(all.filter(({ last }) => last === 'list').length);
  });

  it.for(cases)('%j runs %j', async ([alias, words], { home }) => {
    const { code, stdout } = await home.run(...alias, '--help');
    expect([code, stdout]).toEqual([0, (await home.run(...words, '--help')).stdout]);
    expect((await home.run('complete', '--', ...alias, '--')).stdout).toBe((await home.run('complete', '--', ...words, '--')).stdout);
    const offered = (await home.run('complete', '--', ...alias)).stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(offered).not.toContain(alias.at(-1));
  });

  it('run the verb', async ({ home }) => {
    await home.run('tag', 'create', 'VIP');
    const { json } = await home.run('tag', 'ls', '-o', 'json');
    expect(json.tags).toMatchObject([{ name: 'VIP' }]);
    expect((await home.run('tags', 'rm', json.tags[0].id as string, '--yes')).code).toBe(0);
    expect((await home.run('tags', 'ls', '-o', 'json')).json.tags).toEqual([]);
    // An argument that equals an alias is not replaced.
    expect((await home.run('tags', 'create', 'ls', '-o', 'json')).json.tag.name).toBe('ls');
  });
});
