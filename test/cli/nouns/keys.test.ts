import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Proxy } from '../../support/proxy.ts';
import { useProxiedAccount } from '../../support/proxied-account.ts';
import type { RemoteAccount } from '../../support/remote-account.ts';
import { Home } from '../../support/terminal-world.ts';

let proxy: Proxy;
let account: RemoteAccount;

useProxiedAccount((opened) => ({ proxy, account } = opened));

const scopes = { tags: ['Tags'], read_only: false, sub_account_ids: [], rate_limit_per_min: 30 };

const makeKey = async (label: string, more: object = scopes) =>
  ((await account.other('POST', '/api-keys', { label, scopes: more })).key as { id: string }).id;

/** A key that 200 newer ones push out of the list. */
async function makeUnlistedKey(): Promise<string> {
  const id = await makeKey('old');
  for (let count = 0; count < 200; count++) await makeKey(`newer ${count}`);
  expect((await account.home.run('keys', 'list', '-o', 'tsv', '--fields', 'id')).stdout).not.toContain(id);
  return id;
}

describe('a key that is no longer listed', () => {
  it('is shown, and keeps the scopes that an update does not name', async () => {
    const id = await makeUnlistedKey();
    expect((await account.home.run('keys', 'get', id, '-o', 'json')).json.key).toMatchObject({ id, label: 'old', scopes });
    const { code, json } = await account.home.run('keys', 'update', id, '--section', 'Contacts', '-o', 'json');
    expect([code, json.key.scopes]).toEqual([0, { ...scopes, tags: ['Contacts'] }]);
    const { stderr } = await account.home.run('keys', 'revoke', id);
    expect(stderr).toContain("Revoke the key 'old'");
  });
});

describe('a service that does not show a single key', () => {
  it('is not sent an update that would reset the scopes it does not name', async () => {
    const id = await makeKey('Reports');
    const sent: string[] = [];
    proxy.decide = (method, path) => {
      sent.push(method);
      return method === 'GET' && path.startsWith('/v1/api-keys/') ? 'missing' : 'passes';
    };
    const update = (...argv: string[]) => account.home.run('keys', 'update', ...argv);
    for (const word of [id, 'Reports']) {
      const { code, stderr } = await update(word, '--section', 'Contacts');
      expect([code, stderr]).toEqual([5, expect.stringMatching(/does not show the key[^]*all scopes with --input/)]);
    }
    expect(sent).not.toContain('PATCH');
    expect((await update(id, '--label', 'Figures')).code).toBe(0);
    account.home.stdin = JSON.stringify({ scopes: { tags: ['Contacts'] } });
    const { json } = await update(id, '--input', '-', '-o', 'json');
    expect(json.key).toMatchObject({ label: 'Figures', scopes: { tags: ['Contacts'], read_only: true, rate_limit_per_min: 60 } });
    expect((await account.home.run('keys', 'revoke', id)).stderr).toContain(`Revoke the key ${id}?`);
  });
});

it('scopes that an empty list stands for are shown in words, in a pipe too', async () => {
  const id = await makeKey('everything', { tags: [] });
  const { stdout } = await account.home.run('keys', 'list', '--fields', 'label,scopes.tags,scopes.sub_account_ids');
  expect(stdout).toMatch(/^everything\s+all\s+own$/m);
  expect((await account.home.run('keys', 'get', id)).stdout).toMatch(/^scopes.tags +all\n[^]*^scopes.sub_account_ids +own$/m);
  const { stdout: shown } = await account.home.runOnTerminal(80, 'keys', 'get', id);
  expect(stripVTControlCharacters(shown)).toMatch(/^sections +all\n[^]*^accounts +own$/m);
  expect((await account.home.run('keys', 'get', id, '-o', 'json')).json.key.scopes).toMatchObject({ tags: [], sub_account_ids: [] });
});

it('usage shows the note, which is null once the key was used', async () => {
  expect((await account.home.run('keys', 'usage', '-o', 'json')).json).toMatchObject({ usage: { used: 1 }, note: null });
  proxy.change = (_path, body) => body.replace('}}', '},"note":"The main key was not used in the current window"}');
  expect((await account.home.run('keys', 'usage')).stdout).toContain('note              The main key was not used in the current window');
  expect((await account.home.run('keys', 'usage', '-o', 'json')).json.note).toContain('not used');
});

it('the help of update says that scopes without a flag stay as they are', async () => {
  const { stdout } = await account.home.run('keys', 'update', '--help');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('scopes without a flag do not change');
  expect(stdout).not.toContain('as a whole');
});

it('a key of the own account is told to leave the sub-account out', async () => {
  const { account_id: own } = await account.other('GET', '/health');
  const { code, stderr } = await account.home.run('keys', 'create', '--section', 'all', '--sub-account-id', String(own));
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^Error: --sub-account-id must name sub-accounts[^]*Omit --sub-account-id for a key of your own account/),
  ]);
});

it('tables show the state of each key, also in a narrow window', async () => {
  const home = new Home();
  onTestFinished(() => home.remove());
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  await home.run('sandbox', 'clock', 'freeze');
  await home.run('keys', 'create', '--label', 'Reports of the whole agency', '--section', 'Analytics,Contacts');
  await home.run('keys', 'create', '--label', 'Trial', '--section', 'Tags', '--expires', '30d');
  await home.run('keys', 'create', '--label', 'Past', '--section', 'Tags', '--expires', '1h');
  await home.run('keys', 'create', '--label', 'Gone', '--section', 'Tags');
  await home.run('keys', 'revoke', 'Gone', '--yes');
  await home.run('sandbox', 'clock', 'advance', '2h');
  const states = { 'Reports of the whole agency': 'active', Trial: 'expires', Past: 'expired', Gone: 'revoked' };
  const rows = (await home.run('keys', 'list', '--fields', 'label,state', '-o', 'json')).json.api_keys as Record<string, string>[];
  expect(Object.fromEntries(rows.map(({ label = '', state }) => [label, state]))).toEqual(states);
  for (const columns of [60, 80, 120]) {
    const shown = stripVTControlCharacters((await home.runOnTerminal(columns, 'keys', 'list')).stdout);
    expect(shown.split('\n')[1]).toContain('│ STATE');
    for (const state of Object.values(states)) expect(shown).toContain(` ${state} `);
  }
  expect(stripVTControlCharacters((await home.runOnTerminal(80, 'keys', 'get', 'Past')).stdout)).toMatch(/^state +✗ expired$/m);
  expect((await home.run('keys', 'list', '-o', 'json')).json.api_keys[0]).not.toHaveProperty('state');
});
