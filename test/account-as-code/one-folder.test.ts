import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

// One folder of files for many accounts.

let home: Home;

beforeEach(async () => {
  home = new Home();
  for (const name of ['Client 01', 'Client 02', 'Client 03', 'Other']) await home.sandbox('accounts', 'create', name);
  file('tags.yaml', 'tags: [{ name: VIP, description: "Asks for ${brand}" }, { name: cold }]\n');
});

afterEach(() => home.remove());

const { dir, file, diff, apply } = accountFolder(() => home);

/** Writes the file of --vars. */
function vars(text: string): string {
  const path = join(home.path, 'vars.csv');
  writeFileSync(path, text);
  return path;
}

const clients = ['--sub-account', 'Client 0*'];

const tagsOf = async (name: string) =>
  (await home.sandbox('tags', 'list', '--sub-account', name, '-o', 'json')).json.tags.map(
    (tag: { name: string; description: string | null }) => `${tag.name}: ${tag.description ?? ''}`,
  );

const idOf = async (name: string) => (await home.sandbox('accounts', 'get', name, '-o', 'json')).json.sub_account.id as string;

/** Expects that a command is refused before anything is written. */
async function expectRefused(ran: ReturnType<typeof apply>, message: string | RegExp): Promise<void> {
  const { code, stdout, stderr } = await ran;
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  ]);
  for (const name of ['Client 01', 'Client 02', 'Client 03']) expect(await tagsOf(name)).toEqual([]);
}

describe('a folder with records of its own', () => {
  // Proves rule account-as-code.39
  it('is applied to each account, with the variables of its row before those of account.yaml', async () => {
    file('account.yaml', 'vars: { brand: the owner }\n');
    const path = vars(`account,brand\nClient 01,"Bakery, north"\n${await idOf('Client 02')},\n`);
    const planned = await diff(...clients, '--vars', path);
    expect([planned.code, planned.stdout]).toEqual([3, expect.stringContaining('Asks for Bakery, north')]);
    expect(planned.stderr).toContain(`${path} has no row for Client 03: the \`vars\` of account.yaml apply.`);
    const applied = await apply(...clients, '--vars', path, '--canary', '1');
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('Client 01: 2 of 2 done.')]);
    expect(await Promise.all(['Client 01', 'Client 02', 'Client 03', 'Other'].map(tagsOf))).toEqual([
      ['cold: ', 'VIP: Asks for Bakery, north'],
      ['cold: ', 'VIP: Asks for '],
      ['cold: ', 'VIP: Asks for the owner'],
      [],
    ]);
    expect((await diff(...clients, '--vars', path)).code).toBe(0);
    expect((await home.sandbox('undo', ...clients, '--yes')).code).toBe(0);
    expect(await Promise.all(['Client 01', 'Client 02', 'Client 03'].map(tagsOf))).toEqual([[], [], []]);
  });

  it('is applied to one account with its row', async () => {
    const path = vars('account,brand\nClient 01,Bakery\nClient 02,Cafe\n');
    const { code, stderr } = await apply('--sub-account', 'Client 02', '--vars', path);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`${path} has rows of accounts that the command does not act on: Client 01.`),
    ]);
    expect([await tagsOf('Client 01'), await tagsOf('Client 02')]).toEqual([[], ['cold: ', 'VIP: Asks for Cafe']]);
  });

  it('tells a row of an account that is not asked for, and a column that no file uses', async () => {
    const path = vars('account,brand,brnad\nClient 01,A,\nClient 02,B,\nClient 03,C,\nOther,D,\nNobody,E,\n');
    const { code, stderr } = await apply(...clients, '--vars', path);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`${path} has rows of accounts that the command does not act on: Other, Nobody.`),
    ]);
    expect(stderr).toContain(`The files do not use these columns of ${path}: brnad.`);
    expect(await tagsOf('Other')).toEqual([]);
  });

  it('is refused when an account lacks a variable, before anything is written', async () => {
    const unknown = 'unknown variable';
    await expectRefused(apply(...clients), `tags.yaml:1:34: ${unknown} 'brand'`);
    const path = vars('account,brand\nClient 02,Cafe\n');
    for (const command of [apply, diff])
      await expectRefused(command(...clients, '--vars', path), `tags.yaml:1:34: for Client 03, Client 01: ${unknown} 'brand'`);
  });

  it.each([
    ['name,brand\nClient 01,A\n', "has no column 'account'"],
    ['account,brand,brand\nClient 01,A,B\n', "has the column 'brand' twice"],
    ['account,brand\nClient 01,A\nClient 02,B\nClient 01,C\n', ":4: the account 'Client 01' has a row already"],
    ['account,brand\nNobody,A\nNobody,C\n', ":3: the account 'Nobody' has a row already"],
    ['account,brand\n,A\n', ':2: the account is empty'],
    ['account,brand\nClient 01,A,B\n', ':2: has 3 cells, but the header has 2'],
  ])('is refused with a wrong file of variables: %j', async (text, message) => {
    const path = vars(text);
    await expectRefused(apply(...clients, '--vars', path), `Error: ${path}`);
    await expectRefused(diff(...clients, '--vars', path), message);
  });

  it('finds an account that has a row by its name and another by its id', async () => {
    const path = vars(`account,brand\nClient 01,A\n${await idOf('Client 01')},B\n`);
    await expectRefused(apply(...clients, '--vars', path), 'has a row already');
  });

  it('is refused where it names an account, and --vars where each account has a folder', async () => {
    const id = await idOf('Client 01');
    const path = vars('account,brand\nClient 01,A\n');
    file('account.yaml', `account: ${id}\n`);
    await expectRefused(apply(...clients), `account.yaml names the account ${id}`);
    await expectRefused(apply('--sub-account', 'Client 01', '--vars', path), `account.yaml names the account ${id}`);
    rmSync(dir(), { recursive: true });
    await home.sandbox('dump', dir(), ...clients);
    await expectRefused(diff(...clients, '--vars', path), '--vars is for one folder of several accounts');
  });

  it('names a mistake once for all accounts, and the plan counts equal notes once', async () => {
    file('lists.yaml', 'lists: [{ nam: x }]\n');
    const path = vars('account,brand\nClient 01,A\nClient 02,B\nClient 03,C\n');
    const { stderr } = await apply(...clients, '--vars', path);
    expect(stderr.match(/lists\.yaml:1:11: /g)).toHaveLength(1);
    expect(stderr).not.toContain('for Client');
    rmSync(join(dir(), 'lists.yaml'));
    file('lists.yml', 'lists: []\n');
    const { stdout } = await diff(...clients, '--vars', path);
    expect(stdout.match(/^== /gm)).toHaveLength(3);
    expect(stdout.match(/lists\.yml is ignored/g)).toHaveLength(1);
  });

  it.each([60, 80, 120])('names the accounts of a plan in a heading that fits %i columns', async (columns) => {
    file('tags.yaml', 'tags: [{ name: "VIP ${brand}" }]\n');
    const headings = async (path: string) => {
      const args = ['diff', dir(), ...clients, '--vars', path, '--profile', 'sandbox'];
      const { stdout } = await home.runOnTerminal(columns, ...args);
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
      return stdout.split('\n').filter((line) => line.startsWith('== '));
    };
    const three = vars('account,brand\nClient 01,A\nClient 02,A\nClient 03,A\n');
    expect(await headings(three)).toEqual(['== 3 accounts: Client 01, Client 02 and Client 03']);
    const names = Array.from({ length: 8 }, (_, index) => `Client 0${index + 1}`);
    for (const name of names.slice(3)) await home.sandbox('accounts', 'create', name);
    expect(await headings(vars(`account,brand\n${names.map((name) => `${name},A\n`).join('')}`))).toEqual(['== 8 accounts']);
    const [other, some] = await headings(
      vars(`account,brand\n${names.map((name, index) => `${name},${index === 7 ? 'B' : 'A'}\n`).join('')}`),
    );
    expect([some, other]).toEqual([expect.stringMatching(/^== 7 accounts: Client 01, Client 02,/), '== Client 08']);
  });

  it('keeps a secret of each account with the name of the account', async () => {
    rmSync(dir(), { recursive: true });
    file('webhooks.yaml', 'webhooks: [{ name: crm, url: "https://example.com/crm", subscribed_to: [Replies], signing: true }]\n');
    const secrets = join(home.path, 'secrets');
    expect((await apply(...clients, '--secrets-out', secrets)).code).toBe(0);
    const lines = readFileSync(secrets, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { account: string }).account).sort()).toEqual(['Client 01', 'Client 02', 'Client 03']);
  });
});
