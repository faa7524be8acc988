import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { searchTextOf } from '../../../src/cli/verb/spellings.ts';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

it.beforeEach(({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
});

const json = async (home: Home, ...argv: string[]) => (await home.run(...argv, '-o', 'json')).json;

function file(home: Home, name: string, ...lines: string[]): string {
  writeFileSync(join(home.path, name), `${lines.join('\n')}\n`);
  return join(home.path, name);
}

const imports = (home: Home, path: string, ...more: string[]) => json(home, 'contacts', 'import', path, ...more);

const numbers = async (home: Home) => (await json(home, 'contacts', 'list', '--all', '--query', 'contacts[].phone_number')) as string[];

// Proves rule contacts.55.
it('a contact is found by other spellings of its number', async ({ home }) => {
  for (const [today, ...others] of [
    ['+525512345678', '+52 1 55 1234 5678'],
    ['+5511987654321', '+55 11 8765-4321'],
    ['+5491123456789', '+54 11 15 2345-6789', '+54 9 11 2345-6789'],
    ['+442079460018', '+44 (0)20 7946 0018'],
    ['+390612345678', '+39 6 1234 5678'],
  ] as const) {
    const { contact } = await json(home, 'contacts', 'create', today);
    for (const other of others) {
      expect((await json(home, 'contacts', 'get', other)).contact.id, other).toBe(contact.id);
      expect((await json(home, 'contacts', 'list', '--search', other)).contacts, other).toMatchObject([{ id: contact.id }]);
      const explained = ['routing', 'explain', '--channel', 'chatapp', '--from', other, '--text', 'Hello'];
      expect((await json(home, ...explained)).contact_id, other).toBe(contact.id);
    }
  }
  expect((await home.run('contacts', 'get', '+52 1 55 1234 5679')).stderr).toMatch("There is no contact '+52 1 55 1234 5679'");
});

it('a list is searched for the digits that all spellings have', () => {
  expect(searchTextOf(['+525512345678', '+5215512345678'])).toBe('5512345678');
  expect(searchTextOf(['+5511987654321', '+551187654321'])).toBe('87654321');
  expect(searchTextOf(['Ada'])).toBe('Ada');
  expect(searchTextOf([])).toBe('');
});

it('a dry run of an import finds the same duplicates as the import', async ({ home }) => {
  const people = file(
    home,
    'people.csv',
    'phone',
    ...['+52 1 55 1234 5678', '+52 55 1234 5678', '+55 11 8765-4321', '+55 11 98765-4321'],
    ...['+54 11 2345-6789', '+54 9 11 2345-6789', '+54 11 15 2345-6789'],
  );
  const checked = await imports(home, people, '--dry-run');
  const imported = await imports(home, people);
  expect(checked).toMatchObject({ ready: 3, duplicates: 4 });
  expect(imported).toMatchObject({ imported: 3, skipped: checked.skipped });
  expect(await numbers(home)).toEqual(['+541123456789', '+5511987654321', '+525512345678']);
});

it.for([
  ['8 (495) 123-45-67', 'RU', '+74951234567'],
  ['55 1234 5678', 'MX', '+525512345678'],
  ['1 55 1234 5678', 'MX', '+525512345678'],
  ['044 55 1234 5678', 'MX', '+525512345678'],
  ['5215512345678', 'MX', '+525512345678'],
  ['(011) 15 2345-6789', 'AR', '+5491123456789'],
  ['(11) 8765-4321', 'BR', '+5511987654321'],
  ['551187654321', 'BR', '+5511987654321'],
  ['06 1234 5678', 'IT', '+390612345678'],
  ['4155550123.0', 'US', '+14155550123'],
] as const)('the number %s of the country %s is %s', async ([written, country, number], { home }) => {
  await imports(home, file(home, 'people.csv', 'phone', `"${written}"`), '--country', country);
  expect(await numbers(home)).toEqual([number]);
});

it('a number that a spreadsheet damaged is skipped with a reason of its own', async ({ home }) => {
  const people = file(home, 'people.csv', 'phone,first', '4.1555E+10,Ada', '"4,1555E+10",Bob', '#####,Eve', '+14155550101,Dan');
  const reason = 'phone_number lost its digits in a spreadsheet: format the column as text there, and export it again';
  const skipped = [1, 2, 3].map((row) => expect.objectContaining({ row, code: 'invalid_number', reason }));
  for (const options of [['--dry-run', '--country', 'US'], ['--dry-run'], ['--country', 'US']])
    expect((await imports(home, people, ...options)).skipped).toEqual(skipped);
  expect(await numbers(home)).toEqual(['+14155550101']);
});

it('an own number in a file of the account is the one that is connected', async ({ home }) => {
  await json(home, 'sandbox', 'channels', 'add', 'chatapp', '+52 1 55 1234 5678');
  await json(home, 'agents', 'create', 'Ada');
  const account = join(home.path, 'account');
  mkdirSync(account);
  file(home, 'account/routing.yaml', 'defaults: [{ channel: chatapp, number: "+52 1 55 1234 5678", agent: Ada }]');
  expect((await home.run('apply', account, '--yes')).code).toBe(0);
  expect((await home.run('diff', account)).code).toBe(0);
  const { entry_points: defaults } = await json(home, 'routing', 'defaults', 'list');
  expect(defaults).toMatchObject([{ match_config: { phone_numbers: ['+525512345678'] } }]);
});
