import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeAll(() => {
  home = new Home();
});

afterAll(() => home.remove());

const latin = Buffer.from('caf\u00e9', 'latin1');

const path = (name: string, bytes: Uint8Array) => {
  writeFileSync(join(home.path, name), bytes);
  return join(home.path, name);
};

it.each([
  ['a value from stdin', ['tags', 'create', '-'], latin],
  ['UTF-16 from stdin', ['tags', 'create', '-'], Buffer.from('您的桌子', 'utf16le')],
  ['a body from stdin', ['tags', 'create', '--input', '-'], Buffer.concat([Buffer.from('name: '), latin])],
  ['a field of api from stdin', ['api', 'POST', '/tags', '-F', 'name=@-'], latin],
])('refuses %s that is not UTF-8', async (_, argv, stdin) => {
  home.stdin = stdin;
  const { code, stderr } = await home.sandbox(...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining('stdin is not text in UTF-8')]);
  expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toEqual([]);
});

it('refuses files that are not UTF-8', async () => {
  const body = path('body.yaml', Buffer.concat([Buffer.from('name: '), latin]));
  const text = path('text.txt', latin);
  const template = path('template.yaml', Buffer.concat([Buffer.from('name: x\nlanguage: en\ncategory: utility\nbody: '), latin]));
  for (const argv of [
    ['tags', 'create', '--input', body],
    ['api', 'POST', '/tags', '-F', `name=@${text}`],
    ['tags', 'list', '--sub-account', `@${text}`],
  ]) {
    const { code, stderr } = await home.sandbox(...argv);
    expect([argv, code, stderr]).toEqual([argv, 2, expect.stringContaining('is not text in UTF-8')]);
  }
  const linted = await home.sandbox('templates', 'lint', template);
  expect([linted.code, linted.stdout]).toEqual([1, expect.stringContaining('cannot be read: it is not text in UTF-8')]);
});
