import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { it } from '../../support/shared-home-test.ts';
import { Home } from '../../support/terminal-world.ts';

const latin = Buffer.from('caf\u00e9', 'latin1');

const path = (home: Home, name: string, bytes: Uint8Array) => {
  writeFileSync(join(home.path, name), bytes);
  return join(home.path, name);
};

/** A text as the editors and shells of Windows write it. */
const marked = [
  ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 of the other order', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
] as const;

it.for(marked)('reads %s wherever a text comes from outside', async ([_, encoded], { home }) => {
  const names = async () => ((await home.sandbox('tags', 'list', '-o', 'json')).json.tags as { name: string }[]).map(({ name }) => name);
  const file = path(home, 'windows.json', encoded('{"name": "of a file"}\r\n'));
  const text = path(home, 'windows.txt', encoded('of a field'));
  for (const [argv, stdin] of [
    [['tags', 'create', '-'], encoded('of stdin\r\n')],
    [['tags', 'create', '--input', '-'], encoded('name: of input')],
    [['tags', 'create', '--input', file], Buffer.from('')],
    [['api', 'POST', '/tags', '-F', `name=@${text}`], Buffer.from('')],
  ] as const) {
    home.stdin = stdin;
    expect(await home.sandbox(...argv)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('\uFEFF') });
  }
  expect(await names()).toEqual(['of a field', 'of a file', 'of input', 'of stdin']);
  for (const name of await names()) await home.sandbox('tags', 'delete', name, '--yes');
  const template = path(home, 'windows.yaml', encoded('name: hello_there\nlanguage: en\ncategory: utility\nbody: Hello\n'));
  expect((await home.sandbox('templates', 'lint', template)).code).toBe(0);
});

it.each(marked)('reads profiles and plans in %s', async (_, encoded) => {
  const own = new Home();
  const folder = join(own.path, '.config', 'msgctl');
  mkdirSync(folder, { recursive: true });
  const profiles = { current: 'work', profiles: { work: { base_url: 'http://127.0.0.1:1/v1', api_key: 'mk_1' } } };
  writeFileSync(join(folder, 'profiles.json'), encoded(JSON.stringify(profiles)));
  expect((await own.run('profiles', 'list', '-o', 'json')).json).toMatchObject({ profiles: [{ name: 'work', current: true }, {}] });
  const account = join(own.path, 'account');
  mkdirSync(join(account, 'texts'), { recursive: true });
  writeFileSync(
    join(account, 'templates.yaml'),
    encoded('templates:\n  - name: hours\n    language: en\n    category: utility\n    body: !file texts/when.md\n'),
  );
  writeFileSync(join(account, 'texts', 'when.md'), encoded('At nine.'));
  const plan = join(own.path, 'plan.json');
  expect((await own.sandbox('diff', account, '--out', plan)).code).toBe(3);
  writeFileSync(plan, encoded(readFileSync(plan, 'utf8')));
  expect(await own.sandbox('diff', account, '--out', plan)).toMatchObject({ code: 3 });
  writeFileSync(plan, encoded(readFileSync(plan, 'utf8')));
  expect(await own.sandbox('apply', plan, '--yes')).toMatchObject({ code: 0 });
  expect(await own.sandbox('templates', 'list', '--jq', '.[][].body')).toMatchObject({ stdout: 'At nine.\n', stderr: '' });
  expect((await own.sandbox('diff', account)).code).toBe(0);
  own.remove();
});

it.for([
  ['a value from stdin', ['tags', 'create', '-'], latin],
  ['UTF-16 from stdin', ['tags', 'create', '-'], Buffer.from('您的桌子', 'utf16le')],
  ['a body from stdin', ['tags', 'create', '--input', '-'], Buffer.concat([Buffer.from('name: '), latin])],
  ['a field of api from stdin', ['api', 'POST', '/tags', '-F', 'name=@-'], latin],
] as const)('refuses %s that is not UTF-8', async ([_, argv, stdin], { home }) => {
  home.stdin = stdin;
  const { code, stderr } = await home.sandbox(...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining('stdin is not text in UTF-8')]);
  expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toEqual([]);
});

it('refuses files that are not UTF-8', async ({ home }) => {
  const body = path(home, 'body.yaml', Buffer.concat([Buffer.from('name: '), latin]));
  const text = path(home, 'text.txt', latin);
  const template = path(home, 'template.yaml', Buffer.concat([Buffer.from('name: x\nlanguage: en\ncategory: utility\nbody: '), latin]));
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
