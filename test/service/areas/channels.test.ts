import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import { Events } from '../../support/events.ts';
import type { TestService } from '../../support/test-service.ts';

const day = 24 * 3600;
const path = '/channels/chatapp-web/connections';

it.beforeEach(async ({ service }) => {
  await service.sandbox('POST', '/clock', { frozen: true });
});

let made = 0;
let phone: string;
beforeEach(() => {
  phone = `+1415${7770100 + made++}`;
});

const start = async (service: TestService, phone_number = phone) => await service.post(path, { phone_number });
const qr = async (service: TestService) => await service.get(`${path}/${encodeURIComponent(phone)}/qr`);
const status = async (service: TestService) => (await service.get(`${path}/${encodeURIComponent(phone)}/status`)).body.status as string;
const world = async (service: TestService, step: string) =>
  await service.sandbox('POST', `/accounts/${service.accountId}/pairings/${encodeURIComponent(phone)}/${step}`);
const advance = async (service: TestService, seconds: number) => await service.sandbox('POST', '/clock/advance', { seconds });
const channels = async (service: TestService) => (await service.get('/channels')).body.channels;
const balance = async (service: TestService) => (await service.get('/users/me/credits')).body.balance as number;

describe('pairing a number', () => {
  // Proves rules channels.5, channels.6, channels.7, channels.10, channels.11, channels.13, channels.14, channels.19
  // and rules sandbox.60, sandbox.63.
  it('shows a code until it is scanned, and then creates a channel', async ({ service }) => {
    expect(await status(service)).toBe('not_initialized');
    expect((await qr(service)).status).toBe(404);
    const started = await start(service, '+1 (415) '.concat(phone.slice(5)));
    expect([started.status, started.body]).toEqual([200, { success: true, phone_number: phone, status: 'qr_pending' }]);
    const code = await qr(service);
    expect(code.body).toMatchObject({ phone_number: phone, status: 'qr_pending', qr_code: expect.stringMatching(/^2@/) });
    const image = Buffer.from(code.body.qr_data_url.replace('data:image/png;base64,', ''), 'base64');
    expect(image.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
    expect((await qr(service)).body).toEqual(code.body);
    expect(await channels(service)).toEqual([]);
    expect((await world(service, 'scan')).body).toMatchObject({ phone_number: phone, status: 'connected' });
    expect(await status(service)).toBe('connected');
    expect((await qr(service)).body).toMatchObject({ status: 'connected', qr_code: null, qr_data_url: null });
    expect(await channels(service)).toMatchObject([{ channel: 'chatapp_web', identity: phone, status: 'connected' }]);
    expect((await start(service)).status).toBe(409);
    expect((await world(service, 'scan')).status).toBe(409);
    expect((await service.post('/contacts/send', { channel: 'chatapp_web', phone_number: '+14155550123', body: 'x' })).status).toBe(201);
  });

  // Proves rule channels.17.
  it('accepts a number without its plus sign in the path', async ({ service }) => {
    await start(service);
    for (const written of [phone.slice(1), phone, ` ${phone.slice(1)}`])
      expect((await service.get(`${path}/${encodeURI(written)}/status`)).body.status).toBe('qr_pending');
  });

  // Proves rules channels.5, channels.9, channels.12, sandbox.61, sandbox.63.
  it.for(['time', 'the world'])('returns 410 after expiry by %s, until it is started again', async (by, { service }) => {
    await start(service);
    const first = (await qr(service)).body.qr_code as string;
    await (by === 'time' ? advance(service, 120) : world(service, 'expire'));
    expect((await qr(service)).status).toBe(410);
    expect(await status(service)).toBe('disconnected');
    expect((await world(service, 'scan')).status).toBe(409);
    expect((await world(service, 'expire')).status).toBe(409);
    expect((await start(service)).body.status).toBe('qr_pending');
    expect((await qr(service)).body.qr_code).not.toBe(first);
    expect((await world(service, 'scan')).body.status).toBe('connected');
  });

  // Proves rules channels.5, channels.8, channels.9.
  it('uses a new code with its own time limit when it is started again while a code is pending', async ({ service }) => {
    await start(service);
    const first = (await qr(service)).body.qr_code as string;
    await advance(service, 119);
    expect((await start(service)).body.status).toBe('qr_pending');
    const second = (await qr(service)).body.qr_code as string;
    expect(second).not.toBe(first);
    await advance(service, 119);
    expect((await qr(service)).body.qr_code).toBe(second);
    await advance(service, 1);
    expect((await qr(service)).status).toBe(410);
  });

  // Proves rules channels.16, channels.22, webhooks.29.
  it('emits no events, and a number can be disconnected twice', async ({ service }) => {
    const events = await Events.of(service);
    await start(service);
    await world(service, 'scan');
    for (let time = 0; time < 2; time++) expect((await service.delete(`${path}/${phone}`)).body).toEqual({ success: true });
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp_web', identity: phone });
    await world(service, 'drop');
    expect((await service.delete(`${path}/${phone}`)).status).toBe(200);
    expect(await events.names()).toEqual([]);
    await events.close();
  });

  // Proves rules channels.1, channels.5, channels.15, sandbox.62, sandbox.63.
  it('can be started again after the number was dropped or disconnected', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    expect((await world(service, 'drop')).body.status).toBe('disconnected');
    expect((await world(service, 'drop')).status).toBe(409);
    expect(await channels(service)).toMatchObject([{ identity: phone, status: 'disconnected' }]);
    await start(service);
    await world(service, 'scan');
    expect((await service.delete(`${path}/${phone}`)).body).toEqual({ success: true });
    expect(await status(service)).toBe('disconnected');
    expect((await service.post('/contacts/send', { channel: 'chatapp_web', phone_number: '+14155550123', body: 'x' })).status).toBe(400);
  });

  // Proves rules channels.5, channels.15.
  it('can be cancelled before the scan', async ({ service }) => {
    await start(service);
    await service.delete(`${path}/${phone}`);
    expect((await world(service, 'scan')).status).toBe(404);
  });

  // Proves rule channels.20.
  it('ends if the sandbox connects the number', async ({ service }) => {
    await start(service);
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp_web', identity: phone });
    expect(await status(service)).toBe('connected');
    expect((await world(service, 'scan')).status).toBe(409);
  });

  // Proves rule channels.18.
  it('accepts only numbers in international format', async ({ service }) => {
    expect((await start(service, phone.slice(1))).status).toBe(400);
  });

  // Proves rules channels.15, channels.18, sandbox.63.
  it('returns 404 for an unknown number and 400 for an invalid number', async ({ service }) => {
    expect((await service.delete(`${path}/${phone}`)).status).toBe(404);
    for (const step of ['scan', 'expire', 'drop']) expect((await world(service, step)).status).toBe(404);
    expect((await start(service, '0415')).status).toBe(400);
    expect((await service.get(`${path}/nonsense/status`)).status).toBe(400);
    expect((await service.post(path, {})).status).toBe(400);
  });
});

// Proves rules channels.2, sandbox.45, sandbox.46.
it('a number can be connected by the sandbox, and renamed by a later connection', async ({ service }) => {
  const add = async (body: object) => await service.sandbox('POST', `/accounts/${service.accountId}/channels`, body);
  expect((await add({ channel: 'chatapp_web', identity: '+1415555010' })).status).toBe(400);
  expect((await add({ channel: 'chatapp_web', identity: '+1 (415) '.concat(phone.slice(5)), name: 'Desk' })).status).toBe(201);
  await world(service, 'drop');
  await add({ channel: 'chatapp_web', identity: phone });
  expect(await channels(service)).toMatchObject([{ identity: phone, name: 'Desk', status: 'connected' }]);
  await world(service, 'drop');
  await add({ channel: 'chatapp_web', identity: phone, name: 'Front desk' });
  expect(await channels(service)).toMatchObject([{ name: 'Front desk' }]);
});

// Proves rules channels.1, channels.2.
it('a number keeps its place in the list when it reconnects, but gets a new connected_at', async ({ service }) => {
  const other = `+1415${7770100 + made++}`;
  const connect = (identity: string) =>
    service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp_web', identity });
  await connect(phone);
  await connect(other);
  await world(service, 'drop');
  const { now } = (await advance(service, 60)).body;
  await start(service);
  await world(service, 'scan');
  expect(await channels(service)).toMatchObject([{ identity: other }, { identity: phone, status: 'connected', connected_at: now }]);
});

describe('the monthly charge for a number', () => {
  const ledger = async (service: TestService) => {
    const store = await service.database.open();
    const rows = await store.read((db) =>
      db
        .selectFrom('credit_ledger')
        .select(['reason', 'millionths'])
        .where('account_id', '=', service.accountId)
        .where('reason', '=', 'channel_charge')
        .execute(),
    );
    await store.close();
    return rows.map(({ millionths }) => millionths / 1e6);
  };

  // Proves rules channels.21, credits.27, credits.29.
  it('is 50 credits at the end of every 30 days while the number is connected', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    await advance(service, 30 * day - 1);
    expect(await balance(service)).toBe(1000);
    await advance(service, 1);
    expect(await balance(service)).toBe(950);
    await advance(service, 60 * day);
    expect(await ledger(service)).toEqual([-50, -50, -50]);
    await service.delete(`${path}/${phone}`);
    await advance(service, 60 * day);
    expect(await balance(service)).toBe(850);
  });

  // Proves rule credits.29.
  it('starts over with a new connection', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    await advance(service, 20 * day);
    await world(service, 'drop');
    await start(service);
    await world(service, 'scan');
    await advance(service, 20 * day);
    expect(await ledger(service)).toEqual([]);
    await advance(service, 10 * day);
    expect(await ledger(service)).toEqual([-50]);
  });

  // Proves rule credits.29.
  it('is made once if the number is connected several times at the same instant', async ({ service }) => {
    const waiting = async () => ((await service.sandbox('GET', '/jobs')).body.waiting.channel_charge ?? 0) as number;
    const before = await waiting();
    for (let time = 0; time < 3; time++) {
      await start(service);
      await world(service, 'scan');
      if (time < 2) await service.delete(`${path}/${phone}`);
    }
    expect(await waiting()).toBe(before + 1);
    await advance(service, 30 * day);
    expect(await ledger(service)).toEqual([-50]);
  });

  // Proves rule credits.28.
  it('disconnects the number without charging if there are not enough credits', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 49 });
    await advance(service, 30 * day);
    expect(await status(service)).toBe('disconnected');
    expect(await balance(service)).toBe(49);
  });

  // Proves rule credits.28.
  it('recharges the account first if automatic recharge is enabled', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 49, auto_recharge_enabled: true });
    await advance(service, 30 * day);
    expect(await status(service)).toBe('connected');
    expect(await balance(service)).toBe(999);
  });

  // Proves rule credits.30.
  it('does not shift the next charge if it runs late', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    await service.sandbox('POST', '/jobs', { hold: ['channel_charge'] });
    await advance(service, 35 * day);
    expect(await ledger(service)).toEqual([]);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await ledger(service)).toEqual([-50]);
    await advance(service, 25 * day - 1);
    expect(await ledger(service)).toEqual([-50]);
    await advance(service, 1);
    expect(await ledger(service)).toEqual([-50, -50]);
  });

  // Proves rule activity.9.
  it('counts as spent on its channel, and belongs to no conversation', async ({ service }) => {
    await start(service);
    await world(service, 'scan');
    await advance(service, 30 * day);
    const store = await service.database.open();
    const counted = await store.read((db) =>
      db
        .selectFrom('daily_counts')
        .select(['channel', 'credits_spent', 'conversation_credits'])
        .where('account_id', '=', service.accountId)
        .execute(),
    );
    await store.close();
    expect(counted).toEqual([{ channel: 'chatapp_web', credits_spent: 50_000_000, conversation_credits: 0 }]);
  });

  // Proves rule credits.27.
  it('also applies to numbers connected by the sandbox, but not to other channels', async ({ service }) => {
    const connect = async (channel: string) =>
      await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel, identity: phone });
    await connect('chatapp_web');
    await connect('chatapp');
    expect((await connect('chatapp_web')).status).toBe(409);
    expect(await status(service)).toBe('connected');
    await advance(service, 30 * day);
    expect(await ledger(service)).toEqual([-50]);
  });
});
