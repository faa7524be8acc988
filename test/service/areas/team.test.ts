import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../src/contract/limits.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;
let owner: string;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
  owner = await service.signIn([], { role: 'owner' });
});

afterAll(() => service.close());

const unique = () => `p${Math.random().toString(36).slice(2)}@test.example`;

const invite = (body: object, key = owner) => service.post('/team', { name: 'Ann', email: unique(), ...body }, { key });

/** Signs a member in. */
const tokenOf = async (member: string, account = service.accountId) =>
  (await service.sandbox('POST', `/accounts/${account}/members/${member}/token`)).body.id_token as string;

/** Adds a person to an account. Returns their token there. */
const join = async (account: string, email: string) =>
  (await service.sandbox('POST', `/accounts/${account}/members`, { name: 'Ann', email, permissions: [] })).body.id_token as string;

/** The account on which a token acts; the status if it does not. */
const actsOn = async (key: string, on = service) => {
  const { status, body } = await on.get('/users/me', { key });
  return status === 200 ? (body.user.id as string) : status;
};

describe('an invitation', () => {
  // Proves rules team.5, team.7, team.15.
  it('adds a member who is active from the first request', async () => {
    const email = `Ann.${unique()}`;
    const { status, body } = await invite({ email });
    const member = { id: expect.stringMatching(/^mem_/), name: 'Ann', email: email.toLowerCase(), role: 'member', permissions: [] };
    expect([status, body.member]).toEqual([201, { ...member, status: 'invited' }]);
    expect((await invite({ email: email.toUpperCase() })).status).toBe(409);
    const listed = async () =>
      (await service.get('/team', { key: owner })).body.members.find(({ id }: { id: string }) => id === body.member.id);
    const token = await tokenOf(body.member.id);
    expect((await listed()).status).toBe('invited');
    await service.get('/tags', { key: token });
    expect(await listed()).toEqual({ ...member, status: 'active' });
  });

  // Proves rules team.13, team.15.
  it('never moves the tokens of a person who is active elsewhere', async () => {
    const email = unique();
    const elsewhere = (await service.makeAccount()).account_id;
    const token = await join(elsewhere, email);
    const { member } = (await invite({ email })).body;
    expect(await actsOn(token)).toBe(elsewhere);
    expect(await actsOn(await tokenOf(member.id))).toBe(service.accountId);
  });
});

describe('an update', () => {
  // Proves rules team.8, team.9.
  it('replaces what is sent', async () => {
    const { id } = (await invite({ permissions: ['contacts.view', 'contacts.edit'] })).body.member;
    const put = (body: object) => service.put(`/team/${id}`, body, { key: owner });
    expect((await put({ name: 'Bob' })).body.member).toMatchObject({ name: 'Bob', permissions: ['contacts.view', 'contacts.edit'] });
    expect((await put({ permissions: ['billing.view'] })).body.member).toMatchObject({ name: 'Bob', permissions: ['billing.view'] });
    expect((await put({ role: 'owner' })).body.member.permissions).toHaveLength(13);
    expect((await put({})).status).toBe(400);
    expect((await put({ role: 'boss' })).body.field).toBe('role');
    expect((await service.put('/team/mem_none', { name: 'x' }, { key: owner })).body.reason).toBe('member_not_found');
    expect((await service.delete('/team/mem_none', { key: owner })).status).toBe(404);
  });
});

describe('a person of several accounts', () => {
  // Proves rules team.10, team.11, team.16, team.17, team.18.
  it('switches with all tokens, on every server with the next request', async () => {
    const email = unique();
    const first = (await service.makeAccount({ name: 'First' })).account_id;
    const second = (await service.makeAccount({ name: 'Second' })).account_id;
    const ofFirst = await join(first, email);
    service.clock.now += 1000;
    const tokens = [ofFirst, await join(second, email.toUpperCase())] as const;
    expect([await actsOn(tokens[0]), await actsOn(tokens[1])]).toEqual([first, second]);
    const other = await TestService.on(service.database, {}, service);
    const { status, body } = await service.post('/team/switch', { account_id: second }, { key: tokens[0] });
    const shown = { id: second, name: 'Second', kind: 'standard', role: 'member', status: 'active', current: true };
    expect([status, body.account]).toEqual([200, shown]);
    expect([await actsOn(tokens[0], other), await actsOn(tokens[0])]).toEqual([second, second]);
    expect((await other.get('/team/accounts', { key: tokens[0] })).body.accounts).toEqual([
      shown,
      { ...shown, id: first, name: 'First', current: false },
    ]);
    await other.post('/team/switch', { account_id: first }, { key: tokens[1] });
    expect([await actsOn(tokens[0]), await actsOn(tokens[1])]).toEqual([first, first]);
    await other.service.close();
    for (const account_id of [service.accountId, 'acc_none'])
      expect((await service.post('/team/switch', { account_id }, { key: tokens[0] })).body).toMatchObject({ error_code: 404 });
    const named = { account_id: first, sub_account_id: second };
    expect((await service.post('/team/switch', named, { key: tokens[0] })).body.field).toBe('sub_account_id');
    expect((await service.get(`/team/accounts?sub_account_id=${second}`, { key: tokens[0] })).body.field).toBe('sub_account_id');
  });

  // Proves rule team.16.
  it('is always shown the current account, also among more than can be listed', async () => {
    const most = limits.memberships;
    const email = unique();
    const names: string[] = [];
    const tokens: string[] = [];
    for (let count = 0; count < 3; count++) {
      names.push((await service.makeAccount()).account_id);
      tokens.push(await join(names[count] ?? '', email));
    }
    try {
      Object.assign(limits, { memberships: 2 });
      const shown = async () => {
        const { accounts } = (await service.get('/team/accounts', { key: tokens[0] })).body;
        return accounts.map(({ id, current }: { id: string; current: boolean }) => [names.indexOf(id), current]);
      };
      await service.post('/team/switch', { account_id: names[2] }, { key: tokens[0] });
      expect(await shown()).toEqual([
        [0, false],
        [2, true],
      ]);
      await service.post('/team/switch', { account_id: names[0] }, { key: tokens[0] });
      expect(await shown()).toEqual([
        [0, true],
        [1, false],
      ]);
    } finally {
      Object.assign(limits, { memberships: most });
    }
  });

  // Proves rule team.12.
  it('acts on the account that was switched to at another server with the next request', async () => {
    const email = unique();
    const other = await TestService.on(service.database, {}, service);
    try {
      const first = (await service.makeAccount()).account_id;
      const token = await join(first, email);
      await service.post('/team/switch', { account_id: first }, { key: token });
      await service.sandbox('POST', `/accounts/${service.accountId}/members`, { name: 'Ann', email, permissions: [] });
      expect([await actsOn(token), await actsOn(token, other)]).toEqual([first, first]);
      for (const [at, elsewhere, to] of [
        [service, other, service.accountId],
        [other, service, first],
      ] as const) {
        expect((await at.post('/team/switch', { account_id: to }, { key: token })).status).toBe(200);
        expect(await actsOn(token, elsewhere)).toBe(to);
      }
    } finally {
      await other.service.close();
    }
  });

  // Proves rules team.12, team.13, team.14, team.22.
  it('acts elsewhere once the membership is gone, for good', async () => {
    const email = unique();
    const first = (await service.makeAccount()).account_id;
    const token = await join(first, email);
    const { id } = (await invite({ email })).body.member;
    await service.post('/team/switch', { account_id: service.accountId }, { key: token });
    expect(await actsOn(token)).toBe(service.accountId);
    expect((await service.delete(`/team/${id}`, { key: owner })).status).toBe(200);
    expect(await actsOn(token)).toBe(first);
    const again = (await invite({ email })).body.member.id;
    await service.get('/tags', { key: await tokenOf(again) });
    expect(await actsOn(token)).toBe(first);
    const boss = await service.signIn([], { role: 'owner' }, first);
    const members = (await service.get('/team', { key: boss })).body.members as { id: string; email: string }[];
    await service.delete(`/team/${members.find((each) => each.email === email)?.id}`, { key: boss });
    await service.delete(`/team/${again}`, { key: owner });
    expect(await actsOn(token)).toBe(401);
  });

  // Proves rules team.12, team.13.
  it('acts where the person was added first once the membership of the token is gone, active memberships first', async () => {
    const email = unique();
    const names: string[] = [];
    for (let count = 0; count < 3; count++) names.push((await service.makeAccount()).account_id);
    const [invited = '', first = '', second = ''] = names;
    const boss = await service.signIn([], { role: 'owner' }, invited);
    await invite({ email }, boss);
    await join(first, email);
    await join(second, email);
    const token = await join(service.accountId, email);
    expect(await actsOn(token)).toBe(service.accountId);
    const leave = async (account: string) => {
      const key = await service.signIn([], { role: 'owner' }, account);
      const members = (await service.get('/team', { key })).body.members as { id: string; email: string }[];
      expect((await service.delete(`/team/${members.find((each) => each.email === email)?.id}`, { key })).status).toBe(200);
    };
    const seen: unknown[] = [];
    for (const account of [service.accountId, first, second]) {
      await leave(account);
      seen.push(await actsOn(token));
    }
    expect(seen).toEqual([first, second, invited]);
  });

  // Proves rules team.12, team.22.
  it('is removed at another server with the next request', async () => {
    const email = unique();
    const other = await TestService.on(service.database, {}, service);
    const token = await join(service.accountId, email);
    expect([await actsOn(token), await actsOn(token, other)]).toEqual([service.accountId, service.accountId]);
    const members = (await service.get('/team', { key: owner })).body.members as { id: string; email: string }[];
    await service.delete(`/team/${members.find((each) => each.email === email)?.id}`, { key: owner });
    expect(await actsOn(token, other)).toBe(401);
    await other.service.close();
  });

  // Proves rules team.12, team.17.
  it('acts elsewhere once the plan has no API access, also when it has it again', async () => {
    const email = unique();
    const first = (await service.makeAccount()).account_id;
    const token = await join(first, email);
    await join(service.accountId, email);
    const access = (api_access: boolean) => service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { api_access } });
    await service.post('/team/switch', { account_id: service.accountId }, { key: token });
    await access(false);
    expect(await actsOn(token)).toBe(first);
    expect((await service.post('/team/switch', { account_id: service.accountId }, { key: token })).status).toBe(403);
    await access(true);
    expect(await actsOn(token)).toBe(first);
  });
});

describe('a member with team.edit', () => {
  // Proves rules team.19, team.20.
  it('gives and takes only what they have, and leaves owners alone', async () => {
    const manager = await service.signIn(['team.edit', 'contacts.view']);
    expect((await invite({ permissions: ['contacts.view'] }, manager)).status).toBe(201);
    expect((await invite({ permissions: ['billing.view'] }, manager)).status).toBe(403);
    expect((await invite({ role: 'owner' }, manager)).status).toBe(403);
    const { id } = (await invite({ permissions: ['billing.view'] })).body.member;
    const put = (body: object, member = id) => service.put(`/team/${member}`, body, { key: manager });
    expect((await put({ permissions: ['billing.view', 'contacts.view'] })).status).toBe(200);
    expect((await put({ permissions: ['contacts.view'] })).body).toMatchObject({ error_code: 403 });
    expect((await put({ role: 'owner' })).status).toBe(403);
    expect((await service.delete(`/team/${id}`, { key: manager })).status).toBe(403);
    const boss = (await invite({ role: 'owner' })).body.member.id;
    expect((await put({ name: 'x' }, boss)).status).toBe(403);
    expect((await service.delete(`/team/${boss}`, { key: manager })).status).toBe(403);
    const plain = (await invite({ permissions: ['contacts.view'] })).body.member.id;
    expect((await service.delete(`/team/${plain}`, { key: manager })).status).toBe(200);
  });
});

// Proves rule team.21.
it('an account with owners keeps one', async () => {
  const [{ id }] = (await service.get('/team', { key: owner })).body.members;
  expect((await service.delete(`/team/${id}`, { key: owner })).status).toBe(409);
  expect((await service.put(`/team/${id}`, { role: 'member' }, { key: owner })).status).toBe(409);
  expect((await service.put(`/team/${id}`, { name: 'Boss', permissions: [] }, { key: owner })).body.member.permissions).toHaveLength(13);
  await invite({ role: 'owner' });
  expect((await service.put(`/team/${id}`, { role: 'member', permissions: [] }, { key: owner })).status).toBe(200);
  expect((await service.delete(`/team/${id}`, { key: owner })).status).toBe(403);
});

// Proves rule team.6.
it('a member of an agency changes the team of a sub-account', async () => {
  const agency = await service.makeAccount({ kind: 'agency' });
  const client = await service.makeAccount({ parent_account_id: agency.account_id });
  const key = await service.signIn(['team.edit'], {}, agency.account_id);
  const { body } = await service.post('/team', { name: 'Ann', email: unique(), sub_account_id: client.account_id }, { key });
  expect((await service.get(`/team?sub_account_id=${client.account_id}`, { key })).body.members).toEqual([body.member]);
});
