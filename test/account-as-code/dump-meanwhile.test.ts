import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useProxiedAccount } from '../support/proxied-account.ts';
import type { Proxy } from '../support/proxy.ts';
import type { RemoteAccount } from '../support/remote-account.ts';

// A dump over a folder in which a person works: what the person wrote is never lost.

let proxy: Proxy;
let account: RemoteAccount;

useProxiedAccount((opened) => {
  ({ proxy, account } = opened);
});

const path = (name: string) => join(account.folder, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const dump = (...more: string[]) => account.home.run('dump', account.folder, ...more);

/** Does something while the next dump reads the account. */
function meanwhile(work: () => void): void {
  proxy.decide = () => {
    proxy.decide = () => 'passes';
    work();
    return 'passes';
  };
}

describe('a dump during which a person', () => {
  beforeEach(async () => {
    await account.other('POST', '/tags', { name: 'VIP' });
    await account.other('POST', '/agents', { name: 'A', instructions: 'long '.repeat(200) });
    expect((await dump()).code).toBe(0);
    await account.other('POST', '/tags', { name: 'new' });
    const { agents } = (await account.other('GET', '/agents')) as { agents: [{ id: string }] };
    await account.other('PUT', `/agents/${agents[0].id}`, { instructions: 'other '.repeat(200) });
  });

  it.each([
    ['saves a file', 'tags.yaml', () => appendFileSync(path('tags.yaml'), '# mine\n')],
    ['saves a text file', 'agents/a.md', () => appendFileSync(path('agents/a.md'), 'mine\n')],
    ['deletes a file', 'tags.yaml', () => rmSync(path('tags.yaml'))],
  ])('%s replaces no file, and succeeds when it is repeated', async (_what, name, work) => {
    const files = () =>
      readdirSync(account.folder, { recursive: true, encoding: 'utf8' })
        .filter((each) => statSync(path(each)).isFile())
        .map((each) => [each, read(each)]);
    let saved: unknown;
    meanwhile(() => {
      work();
      saved = files();
    });
    const { code, stderr } = await dump();
    expect([code, stderr, files()]).toEqual([
      6,
      `Error: These files changed while msgctl was reading the account: ${name}\nNothing in ${account.folder} was replaced. Dump again.\n`,
      saved,
    ]);
    expect((await dump()).code).toBe(0);
    expect(read('tags.yaml')).toContain('new');
    expect((await account.home.run('diff', account.folder)).code).toBe(0);
  });
});

it('a dump removes no file that was changed meanwhile', async () => {
  account.write({ 'tags.yaml': 'tags: [{ name: a }]\n', 'events/visit.yaml': 'name: Visit\n' });
  meanwhile(() => appendFileSync(path('events/visit.yaml'), '# mine\n'));
  expect((await dump('--replace')).code).toBe(6);
  expect(read('events/visit.yaml')).toBe('name: Visit\n# mine\n');
  expect((await dump('--replace')).code).toBe(0);
  expect(existsSync(path('events/visit.yaml'))).toBe(false);
});

it('a dump overwrites no text file to which no record refers', async () => {
  account.write({ 'account.yaml': 'prune: []\n', 'agents/a.md': 'mine' });
  await account.other('POST', '/agents', { name: 'A', instructions: 'long '.repeat(200) });
  const { code, stderr } = await dump();
  expect([code, stderr, read('agents/a.md')]).toEqual([
    6,
    `Error: These files exist, but dump did not read them: agents/a.md\nNothing in ${account.folder} was replaced. Rename or delete it, and dump again.\n`,
    'mine',
  ]);
  renameSync(path('agents/a.md'), path('agents/mine.md'));
  expect((await dump()).code).toBe(0);
});

it('a dump keeps links and the permissions of files, edits a file with a byte order mark, and gives new files the usual permissions', async () => {
  account.write({ 'real/tags.yaml': '\uFEFFtags: [{ name: VIP, description: one }]\n', 'lists.yaml': 'lists: []\n' });
  chmodSync(path('lists.yaml'), 0o640);
  renameSync(path('real/tags.yaml'), path('real/tags.txt'));
  symlinkSync('real/tags.txt', path('tags.yaml'));
  await account.other('POST', '/tags', { name: 'VIP', description: 'two' });
  await account.other('POST', '/lists', { name: 'left' });
  expect(await dump()).toMatchObject({ code: 0 });
  const mode = (name: string) => statSync(path(name)).mode & 0o777;
  writeFileSync(path('usual'), '');
  expect([mode('lists.yaml'), mode('account.schema.json')]).toEqual([0o640, mode('usual')]);
  expect([lstatSync(path('tags.yaml')).isSymbolicLink(), read('real/tags.txt')]).toEqual([true, expect.stringContaining('two')]);
});
