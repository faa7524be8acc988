import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Receiver } from '../../support/receiver.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
});

afterAll(() => service.close());

const account = (body: object) => service.sandbox('PATCH', `/accounts/${service.accountId}`, body);

const list = async (query = '') => (await service.get(`/notifications${query}`)).body;

const control = (path: string, body: object = {}) => service.sandbox('POST', `/accounts/${service.accountId}${path}`, body);

/** Sends a message, which costs a credit. */
async function spend(): Promise<void> {
  expect((await service.post('/contacts/send', { phone_number: '+14155550123', channel: 'chatapp', body: 'x' })).status).toBe(201);
}

// Proves rules notifications.1, notifications.2, notifications.3, notifications.6, notifications.9.
it('are listed and read', async () => {
  await account({ credits: 10 });
  expect(await list()).toEqual({ success: true, notifications: [], unread_count: 0, next_cursor: null });
  await account({ credits: 100 });
  await control('/channels', { channel: 'chatapp', identity: '+14155550100' });
  await spend();
  const [low] = (await list()).notifications;
  expect(low).toEqual({
    id: expect.stringMatching(/^ntf_/),
    kind: 'credits_low',
    severity: 'warning',
    title: 'Credits are low',
    text: expect.not.stringMatching(/\d/),
    entity: null,
    read_at: null,
    created_at: new Date(service.clock.now).toISOString(),
  });
  expect(await list('?unread=false')).toMatchObject({ notifications: [], unread_count: 1 });
  service.clock.now += 1000;
  const read = { ...low, read_at: new Date(service.clock.now).toISOString() };
  expect((await service.post(`/notifications/${low.id}/read`)).body.notification).toEqual(read);
  service.clock.now += 1000;
  expect((await service.post(`/notifications/${low.id}/read`)).body.notification).toEqual(read);
  expect(await list('?unread=true')).toMatchObject({ notifications: [], unread_count: 0 });
  expect((await list('?unread=false&kind=credits_low')).notifications).toEqual([read]);
  await account({ credits: 100, auto_recharge_enabled: true });
  await spend();
  const kinds = (await list('?unread=true')).notifications.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['credits_recharged', 'credits_low']);
  expect((await service.post('/notifications/read-all')).body.read).toBe(2);
  expect((await service.post('/notifications/read-all')).body.read).toBe(0);
  for (const query of ['kind=x', 'unread=yes']) expect((await service.get(`/notifications?${query}`)).status).toBe(400);
  expect((await service.post('/notifications/ntf_none/read')).body.reason).toBe('notification_not_found');
});

// Proves rule notifications.6.
it('tell of channels that are dropped or not paid, not of those that a person disconnects', async () => {
  const number = '+14155550177';
  const path = encodeURIComponent(number);
  const pair = async () => {
    await service.post('/channels/chatapp-web/connections', { phone_number: number });
    expect((await control(`/pairings/${path}/scan`)).status).toBe(200);
  };
  await pair();
  await service.delete(`/channels/chatapp-web/connections/${path}`);
  expect((await list()).notifications).toEqual([]);
  await pair();
  await control(`/pairings/${path}/drop`);
  const dropped = { kind: 'channel_disconnected', severity: 'error', entity: { type: 'phone_number', id: number } };
  expect((await list()).notifications).toMatchObject([dropped]);
  await pair();
  await account({ credits: 0 });
  service.clock.now += 30 * 86_400_000;
  await service.sandbox('POST', '/settle');
  expect((await list()).notifications).toMatchObject([dropped, dropped]);
});

// Proves rule notifications.9.
it('are not made by transfers that leave few credits', async () => {
  const agency = await service.makeAccount({ kind: 'agency' });
  const client = await service.makeAccount({ parent_account_id: agency.account_id });
  await service.sandbox('PATCH', `/accounts/${agency.account_id}`, { credits: 1_000 });
  const path = `/subaccounts/${client.account_id}/credits`;
  expect((await service.post(path, { amount: 999 }, { key: agency.api_key })).status).toBe(200);
  for (const key of [agency.api_key, client.api_key]) expect((await service.get('/notifications', { key })).body.notifications).toEqual([]);
});

// Proves rule notifications.6.
it('tell the account of the subscription when its receiver is disabled by deliveries of a sub-account', async () => {
  const receiver = await Receiver.open();
  receiver.behaviour = 400;
  const agency = await service.makeAccount({ kind: 'agency' });
  const client = await service.makeAccount({ parent_account_id: agency.account_id });
  await service.liftLimits(client.account_id);
  const hook = { url: receiver.url(), subscribed_to: ['Contact Created'], name: 'hook', apply_to_sub_accounts: true };
  await service.post('/webhooks', hook, { key: agency.api_key });
  for (let count = 0; count < 12; count++)
    await service.post('/contacts', { phone_number: `+1415555${2000 + count}` }, { key: client.api_key });
  await service.sandbox('POST', '/settle');
  const disabled = async (key: string) => (await service.get('/notifications?kind=webhook_disabled', { key })).body.notifications;
  expect(await disabled(agency.api_key)).toMatchObject([{ entity: { type: 'webhook', id: '1' } }]);
  expect(await disabled(client.api_key)).toEqual([]);
  await receiver.close();
});

// Proves rules notifications.6, notifications.10.
it.each([
  ['approved', 'template_approved'],
  ['rejected', 'template_rejected'],
] as const)('tell that a template was %s', async (outcome, kind) => {
  const body = { name: 'greeting', language: 'en', body: 'x', status: 'submitted' };
  const id = (await service.post('/chatapp-templates/docs', body)).body.template_id as string;
  await control(`/templates/${id}/review`, { outcome, reason: 'secret words' });
  const { notifications } = await list();
  expect(notifications).toMatchObject([{ kind, entity: { type: 'template', id } }]);
  expect(JSON.stringify(notifications)).not.toContain('secret words');
});

// Proves rule notifications.3.
it('are those of the own account alone', async () => {
  await account({ credits: 100 });
  await control('/channels', { channel: 'chatapp', identity: '+14155550100' });
  await spend();
  const [low] = (await list()).notifications;
  const { key } = service;
  await service.freshAccount();
  expect(await list()).toMatchObject({ notifications: [], unread_count: 0 });
  expect((await service.post(`/notifications/${low.id}/read`)).body.reason).toBe('notification_not_found');
  expect((await service.post('/notifications/read-all')).body.read).toBe(0);
  const [still] = (await service.get('/notifications', { key })).body.notifications;
  expect([still.id, still.read_at]).toEqual([low.id, null]);
});
