import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;
let token: string;

beforeAll(async () => {
  home = new Home();
  const added = await home.sandbox('sandbox', 'members', 'add', 'Ann', 'ann@shop.example', '--role', 'owner', '-o', 'json');
  token = added.json.id_token as string;
});

afterAll(() => home.remove());

/** Runs a command of the team as its owner. */
async function team(...argv: string[]) {
  home.env = { MSGCTL_API_KEY: token };
  const done = await home.sandbox('team', ...argv);
  home.env = {};
  return done;
}

// Proves rules team.5, team.7, team.17, team.18.
it('team invites, lists, updates and removes members by email address, and switches accounts by name', async () => {
  const invited = await team('invite', 'Bob@shop.example', '--name', 'Bob', '--permissions', 'contacts.view,contacts.edit', '-o', 'json');
  expect(invited.json.member).toMatchObject({ email: 'bob@shop.example', role: 'member', status: 'invited' });
  expect((await team('list', '--fields', 'email,status', '-o', 'csv')).stdout).toContain('bob@shop.example,invited\r\n');
  const changed = await team('update', 'bob@shop.example', '--permissions', 'contacts.view', '-o', 'json');
  expect(changed.json.member.permissions).toEqual(['contacts.view']);
  const asked = await team('remove', 'bob@shop.example');
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Remove the member ')]);
  const removed = await team('remove', 'bob@shop.example', '--yes');
  expect([removed.code, removed.stderr]).toEqual([0, expect.stringContaining('Removed the member bob@shop.example.')]);
  expect((await team('list', '--fields', 'email', '-o', 'tsv')).stdout).toBe('email\nann@shop.example\n');
  expect((await team('accounts', '-o', 'json')).json.accounts).toMatchObject([{ name: 'Sandbox Agency', current: true }]);
  expect((await team('switch', 'Sandbox Agency', '-o', 'json')).json.account).toMatchObject({ current: true });
  expect((await team('switch', 'Nowhere')).code).toBe(5);
});

it('team says with a key that it needs an ID token', async () => {
  const { code, stderr } = await home.sandbox('team', 'list');
  expect([code, stderr]).toEqual([4, expect.stringContaining('Set MSGCTL_API_KEY to the ID token of a member.')]);
});
