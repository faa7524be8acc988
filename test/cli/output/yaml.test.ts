import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseYaml, yamlText } from '../../../src/cli/output/yaml.ts';
import { tries } from '../../support/sweeps.ts';
import { Home } from '../../support/terminal-world.ts';

it.each(['    \n', '\n', ' \n \n', '\t\n', '\n  ', '  x\n', '\n  x', 'x\n  ', ''])('YAML output keeps the white space of %j', (text) => {
  const value = [{ text, list: [text] }];
  expect(parseYaml(yamlText(value), 10)).toEqual(value);
});

describe('a string that readers of YAML 1.1 take for something else', () => {
  const forms = [
    ...['17:00', '1:30:00', '9:00', '190:20:30.15', 'NO', 'no', 'on', 'Off', 'y', 'N', 'yEs', '~', 'Null', '=', '<<'],
    ...['2027-03-01', '2027-3-1', '2027-03-01T09:00:00.000Z', '2027-03-01 09:00', '2001-12-14 21:59:43.10 -5'],
    ...[
      '0o17',
      '017',
      '09',
      '0b101',
      '0x1F',
      '-0x1f',
      '1_000',
      '1,000',
      '12e03',
      'e0',
      '1.',
      '.5',
      '1_0.5',
      '.inf',
      '-.INF',
      '.NaN',
      '+1',
      ':on',
    ],
    ...['a\u2028b', 'a\u2029b', 'a\u0085b', 'a\u007fb', 'a\u0080b', '\ufeffa', 'a\ufffe', 'a\tb', '[x', '? x', '- x', '%x', '...', ''],
  ];

  const readers: readonly (readonly [string, (text: string) => unknown])[] = [
    ['yaml 1.1', (text) => parse(text, { version: '1.1' })],
    ['yaml 1.2', (text) => parse(text)],
    ['js-yaml 1.1', (text) => load(text, { schema: YAML11_SCHEMA })],
    ['js-yaml 1.2', (text) => load(text, { schema: CORE_SCHEMA })],
  ];

  it.each(forms)('is quoted: %j', (text) => {
    const value = { [text]: text, list: [text, { [text]: [text] }] };
    for (const [name, read] of readers) expect([name, read(yamlText(value))]).toEqual([name, value]);
    expect(yamlText([text])).toMatch(/^- ".*"\n$/);
  });

  it.each(['no reply', '10 %', 'a:b', 'Nope', 'onward', 'v1.2', '2027-03-01 draft', '17:00 sharp', '0x', 'www.example.com', "it's"])(
    'is not %j, which stays as it is',
    (text) => expect(yamlText([text])).toBe(`- ${text}\n`),
  );

  it('keeps a blank between two line breaks of a long string with quotes', () => {
    const value = ['\u007f'.repeat(40) + 'a \n \nb'];
    for (const [name, read] of readers) expect([name, read(yamlText(value))]).toEqual([name, value]);
  });

  it('is read back by each, whatever the string', () => {
    const pieces = [
      ...'0123456789abefnoxyNOYT_.,:;+-~=<>%@?!&*#|{}[]\'"` \t\n\r\\',
      'on',
      'null',
      '\u2028',
      '\u0085',
      '\u007f',
      '\ufeff',
      'ü',
      '👩',
    ];
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
      fc.constantFrom(...forms),
      fc.array(fc.constantFrom(...pieces), { minLength: 40, maxLength: 100 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(texts, texts, (key, text) => {
        fc.pre(key !== '__proto__');
        const value = { [key]: text, list: [text], map: { inner: { [key]: text } } };
        for (const [name, read] of readers) expect([name, read(yamlText(value))]).toEqual([name, value]);
      }),
      { numRuns: tries(1_000) },
    );
  });
});

describe('commands that write YAML', () => {
  let home: Home;

  beforeAll(async () => {
    home = new Home();
    home.env = { MSGCTL_PROFILE: 'sandbox' };
    for (const name of ['NO', '17:00', '2027-03-01', 'plain']) await home.run('tags', 'create', name);
  });

  afterAll(() => home.remove());

  it('quote such names in -o yaml', async () => {
    const { stdout } = await home.run('tags', 'list', '--query', 'sort(tags[].name)', '-o', 'yaml');
    expect(stdout).toBe('- "17:00"\n- "2027-03-01"\n- "NO"\n- plain\n');
    const list = parse((await home.run('tags', 'list', '-o', 'yaml')).stdout, { version: '1.1' }) as { tags: object[] };
    expect(list.tags).toEqual((await home.run('tags', 'list', '-o', 'json')).json.tags);
  });

  // Proves rule account-as-code.37.
  it('quote them in a dump, but leave what a person wrote without quotes', async () => {
    const folder = join(home.path, 'account');
    const file = join(folder, 'tags.yaml');
    await home.run('dump', folder);
    expect(readFileSync(file, 'utf8')).toMatch(/name: "17:00"\n[^]*name: "2027-03-01"\n[^]*name: "NO"\n[^]*name: plain\n/);
    const edited = readFileSync(file, 'utf8').replace('"NO"', 'NO # Norway');
    writeFileSync(file, edited);
    await home.run('tags', 'create', 'off');
    await home.run('dump', folder);
    const again = readFileSync(file, 'utf8');
    expect([again.includes('name: NO # Norway\n'), again.includes('name: "off"\n')]).toEqual([true, true]);
    expect((await home.run('diff', folder)).code).toBe(0);
  });
});
