import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

/** Makes sub-accounts, by name with their credits. */
async function clients(home: Home, credits: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, amount] of Object.entries(credits)) {
    await home.run('accounts', 'create', name);
    if (amount > 0) await home.run('accounts', 'transfer', name, '--amount', String(amount));
  }
}

interface Row {
  readonly name: string;
  readonly balance: number;
}

const balances = async (home: Home) =>
  Object.fromEntries((await home.run('accounts', 'list', '-o', 'json')).json.sub_accounts.map(({ name, balance }: Row) => [name, balance]));

const own = async (home: Home) => (await home.run('credits', '-o', 'json')).json.balance as number;

describe('accounts top-up', () => {
  it('shows the plan and asks once, and fills up those that have few', async ({ home }) => {
    await clients(home, { Bakery: 200, 'Client 1': 30.5, 'Client 2': 0 });
    const argv = ['accounts', 'top-up', '--below', '100', '--to', '150'];
    const asked = await home.run(...argv);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('Client 1  30.5 + 119.5 = 150\nClient 2  0 + 150 = 150\n');
    expect(asked.stderr).toContain('Move 269.5 credits to 2 accounts? The agency has 500 left then.');
    expect(await balances(home)).toEqual({ Bakery: 200, 'Client 1': 30.5, 'Client 2': 0 });
    const { code, json } = await home.run(...argv, '--yes', '-o', 'json');
    expect(code).toBe(0);
    expect(json.results.map(({ sub_account, moved }: { sub_account: string; moved: number }) => [sub_account, moved])).toEqual([
      ['Client 1', 119.5],
      ['Client 2', 150],
    ]);
    expect(await balances(home)).toEqual({ Bakery: 200, 'Client 1': 150, 'Client 2': 150 });
    expect(await own(home)).toBe(500);
    const again = await home.run(...argv, '--yes');
    expect([again.code, again.stderr]).toEqual([0, 'No account has less than 100 credits.\n']);
  });

  it('is only for the accounts that are selected', async ({ home }) => {
    await clients(home, { Bakery: 10, 'Client 1': 10, 'Client 2': 10 });
    const topUp = (accounts: string) => home.run('accounts', 'top-up', '--below', '50', '--to', '60', '--sub-account', accounts, '--yes');
    expect((await topUp('Client*')).code).toBe(0);
    expect(await balances(home)).toEqual({ Bakery: 10, 'Client 1': 60, 'Client 2': 60 });
    expect((await topUp('Bakery')).code).toBe(0);
    expect(await balances(home)).toEqual({ Bakery: 60, 'Client 1': 60, 'Client 2': 60 });
  });

  it('moves nothing when the agency has too few credits, or the amounts make no sense', async ({ home }) => {
    await clients(home, { Bakery: 10 });
    const { code, stderr } = await home.run('accounts', 'top-up', '--below', '50', '--to', '2000', '--yes');
    expect([code, stderr]).toEqual([1, 'Error: 1,990 credits are needed, and the agency has 990\nNothing was moved.\n']);
    expect((await home.run('accounts', 'top-up', '--below', '50', '--to', '40', '--yes')).code).toBe(2);
    expect((await home.run('accounts', 'top-up', '--below', '-1', '--to', '40', '--yes')).code).toBe(2);
    expect(await balances(home)).toEqual({ Bakery: 10 });
  });

  it('is resumed where it was interrupted, and moves nothing twice', async ({ home }) => {
    await clients(home, { A: 0, B: 0, C: 0 });
    await home.run('sandbox', 'faults', 'add', '--method', 'POST', '--path', '/subaccounts/*', '--status', '500');
    const { code, stderr } = await home.run('accounts', 'top-up', '--below', '50', '--to', '100', '--yes');
    expect(code).toBe(8);
    const [, batch = ''] = /msgctl batch resume (b\d+)/.exec(stderr) ?? [];
    await home.run('sandbox', 'faults', 'clear');
    expect((await home.run('batch', 'resume', batch, '--yes')).code).toBe(0);
    expect(await balances(home)).toEqual({ A: 100, B: 100, C: 100 });
    expect(await own(home)).toBe(700);
  });
});

describe('accounts transfer', () => {
  it('moves credits to each of several accounts, after one question', async ({ home }) => {
    await clients(home, { Bakery: 0, 'Client 1': 0, 'Client 2': 0 });
    const asked = await home.run('accounts', 'transfer', 'Bakery', 'Client*', '--amount', '100');
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining('Move 100 credits to each of 3 accounts, 300 in all? The agency has 700 left then.'),
    ]);
    expect((await home.run('accounts', 'transfer', 'Bakery', 'Client*', '--amount', '100', '--yes')).code).toBe(0);
    expect((await home.run('accounts', 'transfer', '--sub-account', 'Client 1,Client 2', '--amount', '5', '--yes')).code).toBe(0);
    expect(await balances(home)).toEqual({ Bakery: 100, 'Client 1': 105, 'Client 2': 105 });
    const { code, json } = await home.run('accounts', 'transfer', 'Bakery', '--amount=-50', '-o', 'json');
    expect([code, json.sub_account.balance]).toEqual([0, 50]);
    expect((await home.run('accounts', 'transfer', 'Bakery', 'Client*', '--amount', '400', '--yes')).code).toBe(1);
    expect(await own(home)).toBe(740);
  });

  it('says what it needs when it names no account', async ({ home }) => {
    const { code, stderr } = await home.run('accounts', 'transfer', '--amount', '5');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Give the id or the name of a sub-account')]);
  });
});

describe('a command without sub-accounts', () => {
  it('refuses --sub-account before it asks for anything', async ({ home }) => {
    const { code, stderr } = await home.runOnTerminal(80, 'accounts', 'get', '--sub-account', 'Bakery');
    expect([code, stderr]).toEqual([2, expect.stringContaining('msgctl accounts get does not support sub-accounts')]);
  });
});

describe('accounts create --input', () => {
  const file = (home: Home, text: string) => {
    const path = join(home.path, 'clients.csv');
    writeFileSync(path, text);
    return path;
  };

  it('creates an account for each row of a table, and leaves those that exist', async ({ home }) => {
    await clients(home, { Bakery: 10 });
    const path = file(home, 'Name,E-mail,email\nBakery,,\nCafe,x,owner@cafe.example\nDeli,,\n');
    const { code, json, stderr } = await home.run('accounts', 'create', '--input', path, '-o', 'json');
    expect(code).toBe(0);
    expect(json.sub_accounts).toMatchObject([
      { name: 'Bakery', balance: 10, created: false },
      { name: 'Cafe', email: 'owner@cafe.example', created: true },
      { name: 'Deli', email: null, created: true },
    ]);
    const ignored = 'Columns that accounts do not have are left out: e-mail.\n';
    expect(stderr).toBe('');
    const again = await home.run('accounts', 'create', '--input', path);
    expect(again.stderr).toBe(`${ignored}3 accounts existed already, and are as before.\n`);
    expect(Object.keys(await balances(home))).toHaveLength(3);
  });

  it('creates nothing when a row is wrong', async ({ home }) => {
    const path = file(home, 'name,email\nCafe,owner@cafe.example\n,x@y.example\nDeli,no address\n');
    const { code, stderr } = await home.run('accounts', 'create', '--input', path);
    expect(code).toBe(2);
    expect(stderr).toContain('clients.csv has 2 rows that cannot be used: nothing was created');
    expect(stderr).toContain('Row 3: ');
    expect(await balances(home)).toEqual({});
  });
});
