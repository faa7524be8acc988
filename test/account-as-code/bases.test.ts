import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../support/home-test.ts';
import type { Home } from '../support/terminal-world.ts';

// A folder can come from somebody else. It must not show what is elsewhere on the machine (rules account-as-code.2 and account-as-code.3).

const at = (home: Home, path: string) => join(home.path, path);
const write = (home: Home, path: string, text: string) => {
  mkdirSync(dirname(at(home, path)), { recursive: true });
  writeFileSync(at(home, path), text);
};
const link = (home: Home, path: string, target: string) => {
  mkdirSync(dirname(at(home, path)), { recursive: true });
  symlinkSync(at(home, target), at(home, path));
};
const diff = async (home: Home, folder: string, ...more: string[]) => await home.sandbox('diff', at(home, folder), ...more);

/** A record and a mistake, each with a word that must not be shown. */
const precious = ['tags: [{ name: PRECIOUS }]\n', 'PRECIOUS: [}\n', 'tags: [{ name: x, PRECIOUS: !secret PRECIOUS }]\n'];

async function expectRefused(home: Home, folder: string, problem: string | RegExp, ...more: string[]): Promise<void> {
  const { code, stdout, stderr } = await diff(home, folder, ...more);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    problem instanceof RegExp ? expect.stringMatching(problem) : expect.stringContaining(problem),
  ]);
  expect(stderr).not.toContain('PRECIOUS');
}

async function expectRead(home: Home, folder: string, ...more: string[]): Promise<void> {
  const { code, json } = await diff(home, folder, '-o', 'json', ...more);
  expect([code, (json as { changes: { key: string }[] }).changes.map(({ key }) => key)]).toEqual([3, ['shared']]);
}

describe('a base', () => {
  it.beforeEach(({ home }) => write(home, 'work/packs/base/tags.yaml', 'tags: [{ name: shared }]\n'));

  it('may be beside the folder that the command names, or in it', async ({ home }) => {
    write(home, 'work/account/account.yaml', 'base: ../packs/base\n');
    await expectRead(home, 'work/account');
    write(home, 'work/packs/account/account.yaml', 'base: ./own\n');
    write(home, 'work/packs/account/own/tags.yaml', 'tags: [{ name: shared }]\n');
    await expectRead(home, 'work/packs/account');
  });

  it.for(precious)('must be below the parent of the folder without a checkout, and nothing of it is shown: %s', async (text, { home }) => {
    write(home, 'secrets/tags.yaml', text);
    write(home, 'secrets/account.yaml', text);
    write(home, 'work/account/account.yaml', 'base: ../../secrets\n');
    await expectRefused(home, 'work/account', `account.yaml:1:7: base: ../../secrets: must be below ${at(home, 'work')}, links included`);
    await expectRefused(home, 'work/account', 'must be below', '--base-root', at(home, 'work/packs'));
    link(home, 'work/link', 'secrets');
    write(home, 'work/account/account.yaml', 'base: ../link\n');
    await expectRefused(home, 'work/account', 'must be below');
  });

  it('may be anywhere in the git checkout that holds the folder, but not above it', async ({ home }) => {
    mkdirSync(at(home, 'work/.git'));
    write(home, 'work/clients/nord/account.yaml', 'base: [../../packs/base]\n');
    await expectRead(home, 'work/clients/nord');
    write(home, 'work/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    for (const base of ['../..', '..', '.', '../nord', '../../clients'])
      await (write(home, 'work/clients/nord/account.yaml', `base: ["${base}"]\n`),
      expectRefused(home, 'work/clients/nord', /builds on this folder|above this one/));
    write(home, 'tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    write(home, 'work/clients/nord/account.yaml', 'base: ../../..\n');
    await expectRefused(home, 'work/clients/nord', 'must be below');
  });

  it('must not be hidden, before or after links are resolved', async ({ home }) => {
    mkdirSync(at(home, 'work/.git'));
    write(home, 'work/.git/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    write(home, 'work/packs/.hidden/base/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    link(home, 'work/packs/link', 'work/.git');
    link(home, 'work/packs/.link', 'work/packs/base');
    for (const base of ['../.git', '../packs/.hidden/base', '../packs/link', '../packs/.link', '../.git/../packs/base']) {
      write(home, 'work/account/account.yaml', `base: ${base}\n`);
      await expectRefused(home, 'work/account', 'begins with a dot');
    }
  });

  it('must be relative to the folder that names it', async ({ home }) => {
    write(home, 'work/account/account.yaml', `base: ${at(home, 'work/packs/base')}\n`);
    await expectRefused(home, 'work/account', 'must be a path relative to this folder');
  });

  it('may be below --base-root, which then is the only place', async ({ home }) => {
    write(home, 'elsewhere/base/tags.yaml', 'tags: [{ name: shared }]\n');
    write(home, 'work/account/account.yaml', 'base: ../../elsewhere/base\n');
    await expectRefused(home, 'work/account', 'must be below');
    await expectRead(home, 'work/account', '--base-root', at(home, 'elsewhere'));
    await expectRead(home, 'work/account', '--base-root', home.path);
    await expectRefused(home, 'work/account', 'There is no folder', '--base-root', at(home, 'nowhere'));
    expect((await home.sandbox('apply', at(home, 'work/account'), '--yes', '--base-root', at(home, 'elsewhere'))).code).toBe(0);
  });

  it('is subject to the same rule when a base names it', async ({ home }) => {
    write(home, 'secrets/tags.yaml', 'tags: [{ name: PRECIOUS }]\n');
    write(home, 'work/account/account.yaml', 'base: ../packs/base\n');
    write(home, 'work/packs/base/account.yaml', 'base: ../../../secrets\n');
    await expectRefused(home, 'work/account', 'packs/base/account.yaml:1:7: base: ../../../secrets: must be below');
    write(home, 'work/packs/base/account.yaml', 'base: ../..\n');
    await expectRefused(home, 'work/account', 'above this one');
  });

  it('of a dump must be one that can be read again, else nothing is written', async ({ home }) => {
    await home.sandbox('tags', 'create', 'shared');
    const refused = await home.sandbox('dump', at(home, 'dumps/a'), '--base', at(home, 'work/packs/base'), '--only', 'tags');
    expect([refused.code, refused.stderr, existsSync(at(home, 'dumps'))]).toEqual([2, expect.stringContaining('must be below'), false]);
    const root = ['--base-root', home.path];
    expect((await home.sandbox('dump', at(home, 'dumps/a'), '--base', at(home, 'work/packs/base'), '--only', 'tags', ...root)).code).toBe(
      0,
    );
    expect((await diff(home, 'dumps/a', ...root)).code).toBe(0);
    await expectRefused(home, 'dumps/a', 'must be below');
  });

  it('of several accounts must be in the folder that holds theirs', async ({ home }) => {
    const { json } = await home.sandbox('accounts', 'create', 'Nord', '-o', 'json');
    const id = (json as { sub_account: { id: string } }).sub_account.id;
    write(home, 'work/clients/nord/account.yaml', `account: ${id}\nbase: ../../packs/base\n`);
    await expectRefused(home, 'work/clients', /nord\/account\.yaml:2:7: base: .* must be below/, '--sub-account', 'all');
    write(home, 'work/clients/base/tags.yaml', 'tags: [{ name: shared }]\n');
    write(home, 'work/clients/nord/account.yaml', `account: ${id}\nbase: ../base\n`);
    expect((await diff(home, 'work/clients', '--sub-account', 'all')).code).toBe(3);
    write(home, 'secrets/account.yaml', 'account: PRECIOUS\n');
    link(home, 'work/clients/link', 'secrets');
    await expectRefused(home, 'work/clients', 'leads out of', '--sub-account', 'all');
  });
});

describe('a text of !file', () => {
  it.for(['.env', 'notes/.env', '.git/config', './.git/../.env', 'link', 'folder/config'])(
    'must not be hidden in the folder: %s',
    async (name, { home }) => {
      for (const path of ['.env', 'notes/.env', '.git/config']) write(home, `account/${path}`, 'PRECIOUS');
      link(home, 'account/link', 'account/.env');
      link(home, 'account/folder', 'account/.git');
      write(home, 'account/tags.yaml', `tags: [{ name: a, description: !file ${name} }]\n`);
      await expectRefused(home, 'account', `!file ${name}: must not have a name that begins with a dot`);
    },
  );

  it('must be inside of the base that names it', async ({ home }) => {
    write(home, 'secret', 'PRECIOUS');
    write(home, 'packs/base/tags.yaml', 'tags: [{ name: a, description: !file ../../secret }]\n');
    write(home, 'account/account.yaml', 'base: ../packs/base\n');
    await expectRefused(home, 'account', '!file ../../secret: must be inside the folder');
    link(home, 'packs/base/link', 'secret');
    write(home, 'packs/base/tags.yaml', 'tags: [{ name: a, description: !file link }]\n');
    await expectRefused(home, 'account', '!file link: must be inside the folder, also after following links');
  });
});

describe('a YAML file', () => {
  it.for(precious)('that is a link to a hidden file is not read: %s', async (text, { home }) => {
    write(home, 'account/.git/config.yaml', text);
    link(home, 'account/tags.yaml', 'account/.git/config.yaml');
    await expectRefused(home, 'account', 'tags.yaml:1:1: must not be hidden in the folder');
  });

  it('in a hidden folder is not read, also through a link', async ({ home }) => {
    write(home, 'account/.git/hidden.yaml', 'tags: [{ name: PRECIOUS }]\n');
    link(home, 'account/link', 'account/.git');
    write(home, 'account/tags.yaml', 'tags: [{ name: shared }]\n');
    await expectRead(home, 'account');
  });
});
