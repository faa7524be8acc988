import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openPostgresStore } from '../../src/service/store/postgres-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';
import { call, engines, type Ready } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

// Long work is killed between two steps. It continues when a server restarts, and nothing is lost or done twice.

/** Makes an account without request limits, with a connected channel and enough credits. */
async function makeAccount({ sandbox_url: url, sandbox_token: token, account_id: agency }: Ready): Promise<{ id: string; key: string }> {
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  const fields = { name: 'Client', kind: 'standard', parent_account_id: agency, plan };
  const { account_id: id, api_key: key } = (await call(`${url}/accounts`, token, 'POST', fields)).body as Record<string, string>;
  await call(`${url}/accounts/${id}`, token, 'PATCH', { credits: 100_000 });
  await call(`${url}/accounts/${id}/channels`, token, 'POST', { channel: 'chatapp', identity: '+14155550100' });
  return { id: id ?? '', key: key ?? '' };
}

async function importContacts({ base_url: url }: Ready, key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const contacts = Array.from({ length: 500 }, (_, index) => ({ phone_number: `+1415${2_000_000 + from + index}` }));
    const { body } = await call(`${url}/contacts/import`, key, 'POST', { contacts });
    ids.push(...(body.contact_ids as string[]));
  }
  return ids;
}

describe.each(engines)('on %s', (engine) => {
  it('a deletion continues after each kill until nothing is left', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options, { MSGCTL_FAILPOINT: 'maintenance.step:2' });
    const key = first.ready.api_key as string;
    const client = await makeAccount(first.ready);
    await importContacts(first.ready, client.key, 2_000);
    expect((await call(`${first.ready.base_url}/subaccounts/${client.id}`, key, 'DELETE')).status).toBe(200);
    await first.exited;
    await workplace.serveUntilKilled(options, 'maintenance.step:2');
    const last = await workplace.serve(options);
    expect((await call(`${last.ready.base_url}/subaccounts/${client.id}`, key, 'GET')).status).toBe(404);
    expect((await call(`${last.ready.base_url}/contacts`, client.key, 'GET')).status).toBe(401);
    const database = options[options.indexOf('--database') + 1] ?? '';
    const store = engine === 'postgres' ? await openPostgresStore(database) : openSqliteStore(join(workplace.path, 'data', 'msgctl.db'));
    const left = () => store.read((db) => db.selectFrom('accounts').select('id').where('deleted_at', 'is not', null).execute());
    await until(async () => (await left()).length === 0);
    expect(await store.read((db) => db.selectFrom('contacts').select('id').limit(1).execute())).toEqual([]);
    await store.close();
  });

  it('a large broadcast that is killed at its start is sent to each recipient once', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options, { MSGCTL_FAILPOINT: 'broadcast.leased' });
    const { key } = await makeAccount(first.ready);
    const ids = await importContacts(first.ready, key, 2_500);
    const post = async (path: string, body?: unknown) => (await call(`${first.ready.base_url}${path}`, key, 'POST', body)).body;
    const list = (await post('/lists', { name: 'Everybody' })).list as { id: string };
    await post(`/lists/${list.id}/contacts`, { contact_ids: ids });
    const fields = { name: 'Spring', channel: 'chatapp', body: 'Hello', list_ids: [list.id] };
    const { id } = (await post('/broadcasts', fields)).broadcast as { id: string };
    await post(`/broadcasts/${id}/submit`);
    await post(`/broadcasts/${id}/approve`).catch(() => null);
    await first.exited;
    const second = await workplace.serve(options);
    const read = async () =>
      (await call(`${second.ready.base_url}/broadcasts/${id}`, key, 'GET')).body.broadcast as { status: string; counts: object };
    await until(async () => (await read()).status !== 'Sending');
    expect(await read()).toMatchObject({ status: 'Sent', counts: { total: 2_500, sent: 2_500, failed: 0 } });
    const { body } = await call(`${second.ready.base_url}/users/me/credits`, key, 'GET');
    expect(body.balance).toBe(97_500);
  });
});

// Proves rule serve.42.
it('records kept forever remain, and events kept for an hour are removed', async ({ workplace }) => {
  const kinds = ['--keep-messages', '--keep-sessions', '--keep-ledger'].flatMap((option) => [option, 'forever']);
  const { ready } = await workplace.serve([...kinds, '--keep-events', '1h', '--allow-private-receivers']);
  const { base_url: url, sandbox_url: control, sandbox_token: token } = ready;
  const { id, key } = await makeAccount(ready);
  await call(`${url}/webhooks`, key, 'POST', { url: 'http://127.0.0.1:9/hook', subscribed_to: ['Replies'] });
  const contact = { channel: 'chatapp', phone_number: '+14155550123' };
  const { body } = await call(`${url}/contacts/send`, key, 'POST', { ...contact, body: 'x' });
  const sent = body.contact_id as string;
  let now = Date.parse((await call(`${control}/clock`, token, 'GET')).body.now as string);
  const left = async () => (await call(`${control}/deliveries`, token, 'GET')).body.deliveries as object[];
  // When the second event is removed, maintenance has examined all records that were old with the first one.
  for (let round = 0; round < 2; round++) {
    await call(`${control}/accounts/${id}/events`, token, 'POST', { event: 'Replies' });
    await call(`${control}/settle`, token, 'POST');
    now += 48 * 3_600_000;
    await call(`${control}/clock`, token, 'POST', { now: new Date(now).toISOString() });
    await call(`${control}/clock`, token, 'POST', { frozen: false });
    await until(async () => (await left()).length === 0);
  }
  const count = async (path: string, list: string) => ((await call(`${url}${path}`, key, 'GET')).body[list] as object[]).length;
  expect(await count(`/contacts/${sent}/messages`, 'messages')).toBe(1);
  expect(await count('/chat-sessions', 'chat_sessions')).toBe(1);
  expect(await count('/analytics/credits', 'records')).toBeGreaterThan(0);
});
