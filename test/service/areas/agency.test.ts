import { describe, expect } from 'vitest';
import { it as base } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

const it = base.extend('account', { kind: 'agency' });

const unreachable = 'http://127.0.0.1:9/hook';

interface Client {
  readonly id: string;
  readonly call: (method: string, path: string, body?: object) => Promise<void>;
  readonly sandbox: (method: string, path: string, body?: object) => Promise<void>;
}

/** A sub-account with credits, and calls that act on it. */
async function client(service: TestService, name: string, credits = 1_000): Promise<Client> {
  const { id } = (await service.post('/subaccounts', { name })).body.sub_account as { id: string };
  await service.sandbox('PATCH', `/accounts/${id}`, { credits });
  const succeed = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).toBeLessThan(300);
  };
  return {
    id,
    call: async (method, path, body) => await succeed(service.call(method, `/v1${path}`, { ...body, sub_account_id: id })),
    sandbox: async (method, path, body) => await succeed(service.sandbox(method, `/accounts/${id}${path}`, body)),
  };
}

const overview = async (service: TestService, query = '') => (await service.get(`/agency/overview${query}`)).body;

const none = {
  low_balance: false,
  webhooks: { total: 0, off: 0, disabled: 0, failing: 0 },
  channels: { total: 0, disconnected: 0 },
  keys_expiring: 0,
  imports_failed: 0,
  alerts_open: 0,
  errors_24h: 0,
  last_message_at: null,
  severity: 'ok',
};

/** Lets deliveries to a subscription of a client fail. */
async function failDeliveries(service: TestService, { sandbox }: Client, count: number): Promise<void> {
  for (let left = count; left > 0; left--) await sandbox('POST', '/events', { event: 'Task Created' });
  await service.sandbox('POST', '/settle');
}

describe('the overview of an agency', () => {
  // Proves rules agency.1, agency.2, agency.5.
  it('shows each sub-account, and totals on the first page', async ({ service }) => {
    const one = await client(service, 'Bakery');
    const { accounts, totals, as_of: at, next_cursor } = await overview(service);
    expect(accounts).toEqual([{ account_id: one.id, name: 'Bakery', balance: 1_000, ...none }]);
    expect(totals).toEqual({ accounts: 1, balance: 1_000, error: 0, warning: 0, ok: 1 });
    expect([at, next_cursor]).toEqual([(await service.sandbox('GET', '/clock')).body.now, null]);
    await service.delete(`/subaccounts/${one.id}`);
    expect(await overview(service)).toMatchObject({ accounts: [], totals: { accounts: 0, balance: 0, ok: 0 }, next_cursor: null });
  });

  // Proves rules agency.3, agency.4, agency.5.
  it('has the worst first, then goes by name, also over pages', async ({ service }) => {
    for (const [name, credits] of [
      ['d', 1_000],
      ['c', 50],
      ['b', 0],
      ['f', 1_000],
      ['a', 1_000],
      ['e', 0],
    ] as const)
      await client(service, name, credits);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let first = true; cursor !== null; first = false) {
      const page = await overview(service, `?limit=2${cursor && `&cursor=${cursor}`}`);
      for (const { name, severity } of page.accounts) seen.push(`${name} ${severity}`);
      expect(page.totals).toEqual(first ? { accounts: 6, balance: 3_050, error: 2, warning: 1, ok: 3 } : null);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['b error', 'e error', 'c warning', 'a ok', 'd ok', 'f ok']);
    expect((await service.get('/agency/overview?cursor=x')).status).toBe(400);
  });

  // Proves rules agency.2, agency.3.
  it('counts webhooks that are off, disabled and failing', async ({ service }) => {
    const one = await client(service, 'One');
    await one.call('POST', '/webhooks', { name: 'off', url: `${unreachable}/off`, subscribed_to: ['Task Created'], enabled: false });
    await one.call('POST', '/webhooks', { name: 'down', url: `${unreachable}/down`, subscribed_to: ['Task Created'] });
    const webhooks = async () => (await overview(service)).accounts[0];
    expect(await webhooks()).toMatchObject({ webhooks: { total: 2, off: 1, disabled: 0, failing: 0 }, severity: 'ok' });
    await failDeliveries(service, one, 1);
    expect(await webhooks()).toMatchObject({ webhooks: { total: 2, off: 1, disabled: 0, failing: 1 }, severity: 'warning' });
    await failDeliveries(service, one, 9);
    expect(await webhooks()).toMatchObject({ webhooks: { total: 2, off: 1, disabled: 1, failing: 0 }, severity: 'error' });
  });

  // Proves rules agency.2, agency.3.
  it('counts disconnected channels, and knows the last message', async ({ service }) => {
    const one = await client(service, 'One');
    await service.sandbox('POST', '/clock', { frozen: true });
    await one.sandbox('POST', '/channels', { channel: 'chatapp_web', identity: '+14155550100' });
    await one.sandbox('POST', '/channels', { channel: 'sms', identity: '+14155550100' });
    await one.call('POST', '/contacts/send', { phone_number: '+14155550123', body: 'Hello', channel: 'sms' });
    const { now } = (await service.sandbox('GET', '/clock')).body;
    const row = async () => (await overview(service)).accounts[0];
    expect(await row()).toMatchObject({ channels: { total: 2, disconnected: 0 }, last_message_at: now, severity: 'ok' });
    await one.sandbox('POST', '/pairings/+14155550100/drop');
    await service.sandbox('POST', '/clock/advance', { seconds: 3 * 86_400 });
    expect(await row()).toMatchObject({ channels: { total: 2, disconnected: 1 }, last_message_at: now, severity: 'error' });
  });

  // Proves rule agency.2.
  it('does not count a widget that somebody disabled as disconnected', async ({ service }) => {
    const one = await client(service, 'One');
    const { id } = (await service.post('/widgets', { name: 'Shop', sub_account_id: one.id })).body.widget as { id: string };
    await one.call('PUT', `/widgets/${id}`, { enabled: false });
    expect((await overview(service)).accounts[0]).toMatchObject({ channels: { total: 1, disconnected: 0 }, severity: 'ok' });
    await service.delete(`/widgets/${id}?sub_account_id=${one.id}`);
    expect((await overview(service)).accounts[0]).toMatchObject({ channels: { total: 0, disconnected: 0 } });
  });

  // Proves rules agency.2, agency.3.
  it('counts the keys that expire within seven days', async ({ service }) => {
    const one = await client(service, 'One');
    await service.sandbox('POST', '/clock', { frozen: true });
    const { now } = (await service.sandbox('GET', '/clock')).body;
    const owner = await service.signIn([], { role: 'owner' }, one.id);
    const expiresIn = (days: number) => new Date(Date.parse(now) + days * 86_400_000).toISOString();
    const key = async (days: number | null) => {
      const body = { label: 'a key', ...(days !== null && { expires_at: expiresIn(days) }) };
      return (await service.post('/api-keys', body, { key: owner })).body.key.id as string;
    };
    await key(null);
    await key(8);
    expect((await overview(service)).accounts[0]).toMatchObject({ keys_expiring: 0, severity: 'ok' });
    const soon = await key(7);
    await key(3);
    expect((await overview(service)).accounts[0]).toMatchObject({ keys_expiring: 2, severity: 'warning' });
    await service.delete(`/api-keys/${soon}`, { key: owner });
    expect((await overview(service)).accounts[0]).toMatchObject({ keys_expiring: 1 });
    // One has expired by then, and the other one expires in three days.
    await service.sandbox('POST', '/clock/advance', { seconds: 5 * 86_400 });
    expect((await overview(service)).accounts[0]).toMatchObject({ keys_expiring: 1 });
  });

  // Proves rules agency.2, agency.3.
  it('counts failed imports of seven days, and error records of 24 hours', async ({ service }) => {
    const one = await client(service, 'One');
    await service.sandbox('POST', '/clock', { frozen: true });
    await one.call('POST', '/kb-sources/url', { url: 'http://127.0.0.1:9/page' });
    await service.sandbox('POST', '/settle');
    const row = async () => (await overview(service)).accounts[0];
    expect(await row()).toMatchObject({ imports_failed: 1, errors_24h: 1, severity: 'warning' });
    await service.sandbox('POST', '/clock/advance', { seconds: 86_401 });
    expect(await row()).toMatchObject({ imports_failed: 1, errors_24h: 0, severity: 'warning' });
    await service.sandbox('POST', '/clock/advance', { seconds: 6 * 86_400 });
    expect(await row()).toMatchObject({ imports_failed: 0, errors_24h: 0, severity: 'ok' });
  });

  // Proves rules agency.2, agency.3.
  it('counts conversations that wait for a person, until they are concluded', async ({ service }) => {
    const one = await client(service, 'One');
    await service.sandbox('POST', '/clock', { frozen: true });
    await one.sandbox('POST', '/channels', { channel: 'chatapp', identity: '+14155550100' });
    await one.call('POST', '/agents', { name: 'Ann', alert_human_when: 'urgent' });
    await one.sandbox('POST', '/inbound', { channel: 'chatapp', from: '+14155550123', text: 'This is urgent' });
    await one.sandbox('POST', '/inbound', { channel: 'chatapp', from: '+14155550124', text: 'This is urgent too' });
    const row = async () => (await overview(service)).accounts[0];
    expect(await row()).toMatchObject({ alerts_open: 2, severity: 'warning' });
    const [contact] = (await service.get(`/contacts?sub_account_id=${one.id}`)).body.contacts as { id: string }[];
    await service.delete(`/contacts/${contact?.id}?sub_account_id=${one.id}`);
    expect(await row()).toMatchObject({ alerts_open: 1 });
    await service.sandbox('POST', '/clock/advance', { seconds: 86_400 });
    expect(await row()).toMatchObject({ alerts_open: 0 });
  });

  // Proves rules agency.2, agency.3.
  it('goes by the threshold of each account', async ({ service }) => {
    const one = await client(service, 'One', 99);
    const row = async () => (await overview(service)).accounts[0];
    expect(await row()).toMatchObject({ low_balance: true, severity: 'warning' });
    await one.sandbox('PATCH', '', { low_credit_threshold: 99 });
    expect(await row()).toMatchObject({ low_balance: false, severity: 'ok' });
  });

  // Proves rule agency.1.
  it('is for agencies, with the main key or a member, without a sub-account', async ({ service }) => {
    const { id } = await client(service, 'One');
    expect((await service.get(`/agency/overview?sub_account_id=${id}`)).status).toBe(400);
    const { api_key: scoped } = (await service.post('/api-keys', { label: 'x', scopes: { tags: ['Agency'] } })).body;
    const refused = await service.get('/agency/overview', { key: scoped });
    expect([refused.status, refused.body.error_code]).toEqual([403, 'key_scope_denied']);
    expect((await service.get('/agency/overview', { key: await service.signIn([]) })).status).toBe(200);
    const { api_key: standard } = await service.makeAccount();
    expect((await service.get('/agency/overview', { key: standard })).status).toBe(403);
  });
});
