import { mkdirSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { migrations } from '../../src/service/areas.ts';
import { openPostgresStore } from '../../src/service/store/postgres-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite-store.ts';
import type { Engine } from '../../src/service/store/store.ts';
import { call, engines, type Ready } from '../support/processes.ts';
import { fixtures, restoreFixture } from '../support/store-fixture.ts';
import { it } from '../support/workplace-test.ts';

// A real server is killed with -9 under load: every acknowledged change must be present after a restart.

async function liftLimits(ready: Ready): Promise<void> {
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await call(`${ready.sandbox_url}/accounts/${ready.account_id}`, ready.sandbox_token, 'PATCH', { plan });
}

async function listNames(ready: Ready, key: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await call(`${ready.base_url}/lists?limit=100${from}`, key, 'GET');
    const page = body as unknown as { lists: { name: string }[]; next_cursor: string | null };
    names.push(...page.lists.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return names;
}

describe.each(engines)('on %s', (engine) => {
  it('a server finds every acknowledged change after kill -9 under load', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await liftLimits(first.ready);
    const acknowledged: string[] = [];
    let running = true;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let count = 0; running; count++) {
        const name = `list ${writer}-${count}`;
        // A request that the killed server does not answer was not acknowledged.
        const answer = await call(`${first.ready.base_url}/lists`, key, 'POST', { name }).catch(() => null);
        if (answer?.status === 201) acknowledged.push(name);
        if (acknowledged.length >= 300) first.child.kill('SIGKILL');
      }
    });
    await first.exited;
    running = false;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);
    const second = await workplace.serve(options);
    expect(second.ready).toMatchObject({ api_key: null, account_id: first.ready.account_id, sandbox_token: first.ready.sandbox_token });
    const there = new Set(await listNames(second.ready, key));
    expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
  });

  // Proves rules repeats.1, repeats.2.
  it('requests with a key are repeated after kill -9 under load, and each had one effect', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await liftLimits(first.ready);
    const send = ({ base_url: url }: Ready, name: string) => call(`${url}/lists`, key, 'POST', { name }, { 'idempotency-key': name });
    const answers = new Map<string, string>();
    const unanswered: string[] = [];
    let running = true;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let count = 0; running; count++) {
        const name = `list-${writer}-${count}`;
        const answer = await send(first.ready, name).catch(() => null);
        if (answer?.status === 201) answers.set(name, JSON.stringify(answer.body));
        else if (unanswered.push(name) > 100) break;
        if (answers.size >= 300) first.child.kill('SIGKILL');
      }
    });
    await first.exited;
    running = false;
    await Promise.all(writers);
    const second = await workplace.serve(options);
    for (const [name, body] of answers) expect(JSON.stringify((await send(second.ready, name)).body)).toBe(body);
    for (const name of unanswered) expect((await send(second.ready, name)).status).toBe(201);
    const all = await listNames(second.ready, key);
    expect(all.toSorted()).toEqual([...answers.keys(), ...unanswered].toSorted());
  });

  // Proves rules notifications.5, notifications.14, errors.4.
  it('notifications and error records agree with what they tell of after kill -9, and the relay misses and repeats nothing', async ({
    workplace,
  }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await liftLimits(first.ready);
    const control = async ({ ready }: typeof first, path: string, method: string, body: object) =>
      await call(`${ready.sandbox_url}/accounts/${ready.account_id}${path}`, ready.sandbox_token, method, body).catch(() => null);
    await control(first, '/channels', 'POST', { channel: 'chatapp', identity: '+14155550100' });
    const recharge = { auto_recharge_enabled: true, auto_recharge_credits: 100, low_credit_threshold: 110 };
    await control(first, '', 'PATCH', { credits: 112, ...recharge });
    const seen: string[] = [];
    const watch = async ({ ready }: typeof first, isDone: () => boolean) => {
      const last = seen.at(-1);
      const headers = { authorization: `Bearer ${key}`, ...(last !== undefined && { 'last-event-id': last }) };
      const { body } = await fetch(`${ready.base_url}/notifications/stream`, { headers });
      if (!body) return;
      for await (const part of body.pipeThrough(new TextDecoderStream())) {
        for (const [, id = ''] of part.matchAll(/^id: (.+)$/gm)) seen.push(id);
        if (isDone()) return;
      }
    };
    const watching = watch(first, () => false).catch(() => {});
    // Whether the failure of a message was acknowledged, by its id.
    const failed = new Map<string, boolean>();
    let sent = 0;
    let running = true;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let count = 0; running; count++) {
        const phone_number = `+1415${5_000_000 + writer * 10_000 + count}`;
        const body = { phone_number, channel: 'chatapp', body: 'x' };
        const answer = await call(`${first.ready.base_url}/contacts/send`, key, 'POST', body).catch(() => null);
        if (answer?.status !== 201) continue;
        if (++sent >= 500) first.child.kill('SIGKILL');
        if (count % 3 > 0) continue;
        const id = String(answer.body.message_id);
        failed.set(id, false);
        if ((await control(first, '/receipts', 'POST', { message_id: id, status: 'failed' }))?.status === 200) failed.set(id, true);
      }
    });
    await first.exited;
    running = false;
    await Promise.all([watching, ...writers]);
    const second = await workplace.serve(options);
    const pages = async (path: string, field: string) => {
      const rows: Record<string, unknown>[] = [];
      for (let cursor = ''; ;) {
        const { body } = await call(`${second.ready.base_url}${path}${cursor}`, key, 'GET');
        rows.push(...(body[field] as Record<string, unknown>[]));
        if (body.next_cursor === null) return rows;
        cursor = `&cursor=${body.next_cursor as string}`;
      }
    };
    const records = (await pages('/error-log?limit=100', 'errors')) as { entity: { id: string }; count: number }[];
    const told = records.map(({ entity }) => entity.id);
    expect(records.filter(({ count }) => count !== 1)).toEqual([]);
    expect(new Set(told).size).toBe(told.length);
    expect([...failed].filter(([id, isAcknowledged]) => isAcknowledged && !told.includes(id))).toEqual([]);
    expect(told.filter((id) => !failed.has(id))).toEqual([]);
    const day = new Date().toISOString().slice(0, 10);
    const { totals } = (await call(`${second.ready.base_url}/analytics/summary?from=${day}&to=${day}`, key, 'GET')).body as {
      totals: { credits_recharged: number };
    };
    const recharged = await pages('/notifications?limit=100&kind=credits_recharged', 'notifications');
    expect(recharged.length).toBeGreaterThan(1);
    expect(recharged.length * 100).toBe(totals.credits_recharged);
    const ids = (await pages('/notifications?limit=100', 'notifications')).map(({ id }) => String(id)).reverse();
    if (seen.length < ids.length) await watch(second, () => seen.length >= ids.length);
    expect(seen).toEqual(ids);
  });

  // Proves rule serve.35.
  it('a server knows the sandbox token after kill -9 during its first start', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const killed = await workplace.run(['serve', '--port', '0', ...options], { MSGCTL_FAILPOINT: 'store.created' });
    expect(killed).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    const { ready } = await workplace.serve(options);
    expect(ready).toMatchObject({ api_key: null, sandbox_token: expect.stringMatching(/^sandbox_/) });
    expect((await call(`${ready.sandbox_url}/accounts/${ready.account_id}/main-key`, ready.sandbox_token, 'POST')).status).toBe(200);
  });

  // Proves rule serve.24.
  it.for([undefined, ...fixtures])(
    'a server finishes what is left of the migrations of a store (%o), also if it was killed midway',
    async (fixture, { workplace }) => {
      const options = await workplace.databaseOptions(engine);
      if (fixture) {
        mkdirSync(join(workplace.path, 'data'));
        const store =
          engine === 'sqlite' ? openSqliteStore(join(workplace.path, 'data', 'msgctl.db')) : await openPostgresStore(options.at(-1) ?? '');
        await restoreFixture(store, fixture);
        await store.close();
      }
      const left = migrations.slice(fixture?.applied ?? 0).flatMap(({ statements }) => statements(engine as Engine));
      if (left.length > 0) {
        const failpoint = `store.migrating:${Math.ceil(left.length / 2)}`;
        await workplace.serveUntilKilled(options, failpoint);
      }
      const { ready } = await workplace.serve(options, { MSGCTL_SANDBOX_TOKEN: 'sandbox_of_the_test_of_migrations_000000' });
      const { api_key: key } = (await call(`${ready.sandbox_url}/accounts/${ready.account_id}/main-key`, ready.sandbox_token, 'POST')).body;
      expect((await call(`${ready.base_url}/contacts`, key as string, 'GET')).status).toBe(200);
    },
  );

  // Proves rule serve.37.
  it('another process on the port of a killed server does not get the sandbox token', async ({ workplace }) => {
    const { ready, child, exited } = await workplace.serve(await workplace.databaseOptions(engine));
    const origin = new URL(ready.base_url);
    const jwks = await (await fetch(`${ready.sandbox_url}/.well-known/jwks.json`)).text();
    child.kill('SIGKILL');
    await exited;
    const received: (string | undefined)[] = [];
    const impostor = createServer((request, response) => {
      received.push(request.headers.authorization);
      response.end(jwks);
    });
    await new Promise<void>((resolve) => impostor.listen(Number(origin.port), origin.hostname, resolve));
    const note = (pid: number | undefined) => join(workplace.path, 'data', 'servers', `${pid}.json`);
    // Another process got the process id of the killed server.
    renameSync(note(child.pid), note(process.pid));
    const data = { MSGCTL_DATA_DIR: join(workplace.path, 'data') };
    const { code, stderr } = await workplace.run(['sandbox', 'clock', 'show'], data);
    impostor.close();
    expect([code, stderr]).toEqual([4, expect.stringContaining('The sandbox token was not sent')]);
    expect(received).toEqual([undefined]);
    // A newer server of the directory takes precedence.
    await workplace.serve(['--data', join(workplace.path, 'data')]);
    expect((await workplace.run(['sandbox', 'clock', 'show'], data)).code).toBe(0);
  });

  // Proves rule serve.35.
  it('servers that create a store at the same moment get the same token', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const servers = await Promise.all([workplace.serve(options), workplace.serve(options)]);
    for (const { ready } of servers) expect((await call(`${ready.sandbox_url}/clock`, ready.sandbox_token, 'GET')).status).toBe(200);
    expect(new Set(servers.map(({ ready }) => ready.sandbox_token)).size).toBe(1);
  });

  it('no credits are lost when a transfer is interrupted', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await liftLimits(first.ready);
    const { body } = await call(`${first.ready.base_url}/subaccounts`, key, 'POST', { name: 'client' });
    const { id } = body.sub_account as { id: string };
    let done = 0;
    const movers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const answer = await call(`${first.ready.base_url}/subaccounts/${id}/credits`, key, 'POST', { amount: 1 }).catch(() => null);
        if (!answer) return;
        if (answer.status === 200 && ++done === 60) first.child.kill('SIGKILL');
      }
    });
    await Promise.all(movers);
    const second = await workplace.serve(options);
    const credits = async (account: string) =>
      (
        (await call(`${second.ready.sandbox_url}/accounts/${account}`, second.ready.sandbox_token, 'GET')).body.account as {
          credits: number;
        }
      ).credits;
    const [agency, client] = [await credits(first.ready.account_id), await credits(id)];
    expect(agency + client).toBe(1000);
    expect(client).toBeGreaterThanOrEqual(60);
  });

  it('two servers share one store, including limits and clock', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const second = await workplace.serve(options);
    const key = first.ready.api_key as string;
    const servers = [first.ready, second.ready];
    const statuses = await Promise.all(
      Array.from({ length: 400 }, (_, index) => call(`${servers[index % 2]?.base_url}/health`, key, 'GET').then(({ status }) => status)),
    );
    const through = statuses.filter((status) => status === 200).length;
    expect(through).toBeLessThanOrEqual(300);
    expect(through).toBeGreaterThan(200);
    await call(`${first.ready.sandbox_url}/clock`, first.ready.sandbox_token, 'POST', { now: '2050-01-01T00:00:00Z' });
    expect((await call(`${second.ready.base_url}/health`, key, 'GET')).body.time).toBe('2050-01-01T00:00:00.000Z');
  });

  it('a change acknowledged by one server is visible at once through another, under load', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const [{ ready: busy }, { ready: other }] = [await workplace.serve(options), await workplace.serve(options)];
    const key = busy.api_key as string;
    await liftLimits(busy);
    let running = true;
    const readers = Array.from({ length: 24 }, async () => {
      while (running) expect((await call(`${busy.base_url}/tags`, key, 'GET')).status).toBe(200);
    });
    const wrong: string[] = [];
    try {
      for (let round = 0; round < 60; round++) {
        const made = await call(`${other.base_url}/api-keys`, key, 'POST', { label: `key ${round}` });
        const { api_key: fresh, key: record } = made.body as unknown as { api_key: string; key: { id: string } };
        const withFresh = () => call(`${busy.base_url}/health`, fresh, 'GET').then(({ status }) => status);
        if ((await withFresh()) !== 200) wrong.push(`${round}: a new key was refused`);
        expect((await call(`${other.base_url}/api-keys/${record.id}`, key, 'DELETE')).status).toBeLessThan(300);
        if ((await withFresh()) !== 401) wrong.push(`${round}: a revoked key was accepted`);
      }
    } finally {
      running = false;
      await Promise.all(readers);
    }
    expect(wrong).toEqual([]);
  });
});
