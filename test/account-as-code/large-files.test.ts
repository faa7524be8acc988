import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

// A small file can stand for a large account, and a large file for one that no memory holds: each ends in an error that says so.

let home: Home;
const { file, dir, diff } = accountFolder(() => home);

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const long = 'x'.repeat(100_000);
const many = '${v}'.repeat(6_000);

it.each([
  ['in a value', { 'tags.yaml': `tags:\n  - name: a\n    description: "${many}"\n` }, 'tags.yaml:3:18: ${v}: '],
  ['in a text', { 'tags.yaml': 'tags: [{ name: a, description: !file t }]\n', t: many }, 'tags.yaml:1:38: ${v}: '],
  ['in many values', { 'tags.yaml': `tags:\n${'  - { name: a, description: "${v}" }\n'.repeat(200)}` }, 'tags.yaml:102:29: ${v}: '],
  ['by an alias', { 'tags.yaml': `lists: [{ name: &a "${many.slice(0, 400)}" }]\ntags: [{ name: *a }]\n` }, 'tags.yaml:2:16: ${v}: '],
])('variables do not fill the memory: %s', async (_, files, problem) => {
  file('account.yaml', `vars: { v: ${long} }\n`);
  for (const [path, text] of Object.entries(files)) file(path, text);
  const { code, stdout, stderr } = await diff();
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`${problem}variables may add at most 10,000,000 characters`);
  expect(stderr.split('variables may add')).toHaveLength(2);
});

it('a variable may be long as often as its values fit', async () => {
  file('account.yaml', `vars: { v: ${long} }\n`);
  file('tags.yaml', `tags:\n${'  - { name: a, description: "${v}" }\n'.repeat(90)}`);
  expect((await diff()).stderr).not.toContain('variables may add');
});

it.each(['tags.yaml', 'text'])('a file has at most 16 MiB: %s', async (path) => {
  file('tags.yaml', 'tags: [{ name: a, description: !file text }]\n');
  file('text', 'x');
  truncateSync(join(dir(), path), 16 * 1024 ** 2 + 1);
  const { code, stderr } = await diff();
  expect([code, stderr]).toEqual([2, expect.stringContaining('must have at most 16 MiB: split it into several files')]);
});

it('a text that aliases repeat has at most as many characters as a file', async () => {
  file('tags.yaml', `lists: [{ name: &a ${long} }]\ntags: [${'{ name: *a }, '.repeat(200)}]\n`);
  const { code, stderr } = await diff();
  expect([code, stderr]).toEqual([2, expect.stringContaining('tags.yaml:1:1: must have at most 16,777,216 characters, counting aliases')]);
});
