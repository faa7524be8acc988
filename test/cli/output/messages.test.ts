import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountFolder } from '../../support/account-folder.ts';
import { Home } from '../../support/terminal-world.ts';

// A name can hold line breaks and other control characters. In a message it stays on its line, and shows what is in it.

let home: Home;
const { file, dir } = accountFolder(() => home);

beforeAll(() => {
  home = new Home();
});

afterAll(() => home.remove());

const breaks = '\n\r\t\u0085\u2028\u2029\u001b\u202e\u2066\u200f\u061c';
const name = `VIP${breaks}Error: forged`;
const escaped = 'VIP\\n\\r\\t\\u0085\\u2028\\u2029\\u001b\\u202e\\u2066\\u200f\\u061cError: forged';

/** Expects that a text shows the name as an escape, and has nothing of it that could begin a line or turn the text around. */
function expectEscaped(text: string): void {
  expect(text).toContain(escaped);
  expect(text).not.toMatch(/^Error: forged/m);
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0085\u2028\u2029\u202e\u2066\u200f\u061c]/);
}

it.each([false, true])('an error and a note show the control characters of a name: on a terminal %s', async (isTerminal) => {
  const tags = async (...words: string[]) =>
    isTerminal ? await home.runOnTerminal(200, 'tags', ...words, '--profile', 'sandbox') : await home.sandbox('tags', ...words);
  await tags('create', name);
  const refused = await tags('create', name);
  expect(refused.stderr.split('\n')).toHaveLength(3);
  expectEscaped(refused.stderr);
  expectEscaped((await tags('create', name, '--if-exists', 'skip')).stderr);
  expectEscaped((await tags('delete', `no ${name}`, '--yes')).stderr);
});

it('a question shows them', async () => {
  await home.sandbox('tags', 'create', name);
  const { code, stderr } = await home.sandbox('tags', 'delete', name);
  expect(code).toBe(2);
  expectEscaped(stderr);
});

it('an error with the stack trace shows them', async () => {
  const { stderr } = await home.sandbox('tags', 'create', name, '--debug');
  expectEscaped(stderr);
});

it('the mistakes of files, a plan and its results show them', async () => {
  file('tags.yaml', `tags: [{ name: ${JSON.stringify(name)}, ${JSON.stringify(name)}: 1 }]\n`);
  const wrong = await home.sandbox('diff', dir());
  expect([wrong.code, wrong.stderr.split('\n').length]).toEqual([2, 2]);
  expectEscaped(wrong.stderr);
  file('tags.yaml', `lists: [{ name: ${JSON.stringify(name)} }]\n`);
  const plan = join(home.path, 'plan.json');
  const shown = await home.sandbox('diff', dir(), '--out', plan);
  expect(shown.code).toBe(3);
  expectEscaped(shown.stdout);
  const noted = JSON.parse(readFileSync(plan, 'utf8')) as { notes: string[] };
  writeFileSync(plan, JSON.stringify({ ...noted, notes: [name] }));
  expectEscaped((await home.sandbox('apply', plan, '--yes')).stdout);
});

it('the JSON of an error has the message as it is, and no character that begins a line', async () => {
  await home.sandbox('tags', 'create', name);
  const { stderr } = await home.sandbox('tags', 'create', name, '-o', 'json');
  expect((JSON.parse(stderr) as { message: string }).message).toContain(name.trim());
  expect(stderr.trimEnd()).not.toMatch(/[\u0000-\u001f\u0085\u2028\u2029\u202e\u2066]/);
});
