import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Home } from '../support/terminal-world.ts';

// A folder can come from somebody else. It must not show what is elsewhere on the machine (rules account-as-code.2 and account-as-code.3).

let home: Home;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const at = (path: string) => join(home.path, path);
const write = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const link = (path: string, target: string) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  symlinkSync(at(target), at(path));
};
const diff = async (folder: string, ...more: string[]) => await home.sandbox('diff', at(folder), ...more);

/** A record and a mistake, each with a word that must not be shown. */
const precious = ['tags: [{ name: PRECIOUS }]\n', 'PRECIOUS: [}\n', 'tags: [{ name: x, PRECIOUS: !secret PRECIOUS }]\n'];

async function expectRefused(folder: string, problem: string | RegExp, ...more: string[]): Promise<void> {
  const { code, stdout, stderr } = await diff(folder, ...more);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    problem instanceof RegExp ? expect.stringMatching(problem) : expect.stringContaining(problem),
  ]);
  expect(stderr).not.toContain('PRECIOUS');
}

async function expectRead(folder: string, ...more: string[]): Promise<void> {
  const { code, json } = await diff(folder, '-o', 'json', ...more);
  expect([code, (json as { changes: { key: string }[] }).changes.map(({ key }) => key)]).toEqual([3, ['shared']]);
}

describe('a base', () => {
  beforeEach(() => write('work/packs/base/tags.yaml', 'tags: [{ name: shared }]\n'));

  it('may be beside the folder that the command names, or in it', async () => {
    write('work/account/account.yaml', 'base: ../packs/base\n');
    await expectRead('work/account');
    write('work/packs/account/account.yaml', 'base: ./own\n');
    write('work/packs/account/own/tags.yaml', 'tags: [{ name: shared }]\n');
    await expectRead('work/packs/account');
  });

  it.each(precious)('must be below the parent of the folder without a checkout, and nothing of it is shown: %s', async (text) => {
    write('secrets/tags.yaml', text);
    write('secrets/account.yaml', text);
    write('work/account/account.yaml', 'base: ../../secrets\n');
    await expectRefused('work/account', `account.yaml:1:7: base: ../../secrets: must be below ${at('work')}, links included`);
    await expectRefused('work/account', 'must be below', '--base-root', at('work/packs'));
    link('work/link', 'secrets');
    write('work/account/account.yaml', 'base: ../link\n');
    await expectRefused('work/account', 'must be below');
  });

  it('may be anywhere in the git checkout that holds the folder, but not above it', async () => {
    mkdirSync(at('work/.git'));
    write('work/clients/nord/account.yaml', 'base: [../../packs/base]\n');
    await expectRead('work/clients/nord');
    write('work/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    for (const base of ['../..', '..', '.', '../nord', '../../clients'])
      await (write('work/clients/nord/account.yaml', `base: ["${base}"]\n`),
      expectRefused('work/clients/nord', /builds on this folder|above this one/));
    write('tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    write('work/clients/nord/account.yaml', 'base: ../../..\n');
    await expectRefused('work/clients/nord', 'must be below');
  });

  it('must not be hidden, before or after links are resolved', async () => {
    mkdirSync(at('work/.git'));
    write('work/.git/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    write('work/packs/.hidden/base/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    link('work/packs/link', 'work/.git');
    link('work/packs/.link', 'work/packs/base');
    for (const base of ['../.git', '../packs/.hidden/base', '../packs/link', '../packs/.link', '../.git/../packs/base']) {
      write('work/account/account.yaml', `base: ${base}\n`);
      await expectRefused('work/account', 'begins with a dot');
    }
  });

  it('must be relative to the folder that names it', async () => {
    write('work/account/account.yaml', `base: ${at('work/packs/base')}\n`);
    await expectRefused('work/account', 'must be a path relative to this folder');
  });

  it('may be below --base-root, which then is the only place', async () => {
    write('elsewhere/base/tags.yaml', 'tags: [{ name: shared }]\n');
    write('work/account/account.yaml', 'base: ../../elsewhere/base\n');
    await expectRefused('work/account', 'must be below');
    await expectRead('work/account', '--base-root', at('elsewhere'));
    await expectRead('work/account', '--base-root', home.path);
    await expectRefused('work/account', 'There is no folder', '--base-root', at('nowhere'));
    expect((await home.sandbox('apply', at('work/account'), '--yes', '--base-root', at('elsewhere'))).code).toBe(0);
  });

  it('is subject to the same rule when a base names it', async () => {
    write('secrets/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    write('work/account/account.yaml', 'base: ../packs/base\n');
    write('work/packs/base/account.yaml', 'base: ../../../secrets\n');
    await expectRefused('work/account', 'packs/base/account.yaml:1:7: base: ../../../secrets: must be below');
    write('work/packs/base/account.yaml', 'base: ../..\n');
    await expectRefused('work/account', 'above this one');
  });

  it('of a dump must be one that can be read again, else nothing is written', async () => {
    await home.sandbox('tags', 'create', 'shared');
    const refused = await home.sandbox('dump', at('dumps/a'), '--base', at('work/packs/base'), '--only', 'tags');
    expect([refused.code, refused.stderr, existsSync(at('dumps'))]).toEqual([2, expect.stringContaining('must be below'), false]);
    const root = ['--base-root', home.path];
    expect((await home.sandbox('dump', at('dumps/a'), '--base', at('work/packs/base'), '--only', 'tags', ...root)).code).toBe(0);
    expect((await diff('dumps/a', ...root)).code).toBe(0);
    await expectRefused('dumps/a', 'must be below');
  });

  it('of several accounts must be in the folder that holds theirs', async () => {
    const { json } = await home.sandbox('accounts', 'create', 'Nord', '-o', 'json');
    const id = (json as { sub_account: { id: string } }).sub_account.id;
    write('work/clients/nord/account.yaml', `account: ${id}\nbase: ../../packs/base\n`);
    await expectRefused('work/clients', /nord\/account\.yaml:2:7: base: .* must be below/, '--sub-account', 'all');
    write('work/clients/base/tags.yaml', 'tags: [{ name: shared }]\n');
    write('work/clients/nord/account.yaml', `account: ${id}\nbase: ../base\n`);
    expect((await diff('work/clients', '--sub-account', 'all')).code).toBe(3);
    write('secrets/account.yaml', 'account: PRECIOUS\n');
    link('work/clients/link', 'secrets');
    await expectRefused('work/clients', 'leads out of', '--sub-account', 'all');
  });
});

describe('a text of !file', () => {
  it.each(['.env', 'notes/.env', '.git/config', './.git/../.env', 'link', 'folder/config'])(
    'must not be hidden in the folder: %s',
    async (name) => {
      for (const path of ['.env', 'notes/.env', '.git/config']) write(`account/${path}`, 'PRECIOUS');
      link('account/link', 'account/.env');
      link('account/folder', 'account/.git');
      write('account/tags.yaml', `tags: [{ name: a, description: !file ${name} }]\n`);
      await expectRefused('account', `!file ${name}: must not have a name that begins with a dot`);
    },
  );

  it('must be inside of the base that names it', async () => {
    write('secret', 'PRECIOUS');
    write('packs/base/tags.yaml', 'tags: [{ name: a, description: !file ../../secret }]\n');
    write('account/account.yaml', 'base: ../packs/base\n');
    await expectRefused('account', '!file ../../secret: must be inside the folder');
    link('packs/base/link', 'secret');
    write('packs/base/tags.yaml', 'tags: [{ name: a, description: !file link }]\n');
    await expectRefused('account', '!file link: must be inside the folder, also after following links');
  });
});

describe('a YAML file', () => {
  it.each(precious)('that is a link to a hidden file is not read: %s', async (text) => {
    write('account/.git/config.yaml', text);
    link('account/tags.yaml', 'account/.git/config.yaml');
    await expectRefused('account', 'tags.yaml:1:1: must not be hidden in the folder');
  });

  it('in a hidden folder is not read, also through a link', async () => {
    write('account/.git/hidden.yaml', 'tags: [{ name: PRECIOUS }]\n');
    link('account/link', 'account/.git');
    write('account/tags.yaml', 'tags: [{ name: shared }]\n');
    await expectRead('account');
  });
});
