import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/service/store/store.ts';
import { forwarding } from '../../support/stores.ts';
import { type Answer, epoch, TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  const { account_id, api_key } = await service.makeAccount({ kind: 'agency' });
  service.accountId = account_id;
  service.key = api_key;
});

afterAll(() => service.close());

const minutes = 60_000;

async function createKey(body: unknown = {}) {
  const answer = await service.post('/api-keys', body);
  expect(answer.status).toBe(201);
  return answer.body as { api_key: string; key: { id: string; scopes: Record<string, unknown>; expires_at: string | null } };
}

/** Sends a request to another server on the store, and does something else before that request's first transaction. */
async function overtaken(send: (beside: TestService) => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<Answer> {
  const store = await service.database.open();
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  const held: Store = {
    ...forwarding(store),
    write: async (work, options) => {
      if (isHeld) {
        reached.resolve();
        await released.promise;
      }
      return await store.write(work, options);
    },
  };
  const beside = await TestService.on(service.database, { store: held }, service);
  isHeld = true;
  const answer = send(beside);
  await reached.promise;
  await meanwhile();
  released.resolve();
  await answer;
  await beside.service.close();
  return await answer;
}

describe('the main key', () => {
  // Proves rules keys.4, keys.5, keys.6, keys.7.
  it('is only shown masked', async () => {
    const { body } = await service.get('/api-keys/current');
    expect(body).toEqual({
      success: true,
      api_key_masked: `${service.key.slice(0, 4)}...${service.key.slice(-4)}`,
      api_key_retrievable: false,
      created_at: new Date(epoch).toISOString(),
    });
    expect(service.key).toMatch(/^mk_[\w-]{40,}$/);
  });

  // Proves rule keys.8.
  it('is replaced immediately by a rotation', async () => {
    const { status, body } = await service.post('/api-keys/rotate');
    expect(status).toBe(200);
    expect(body.api_key).toMatch(/^mk_[\w-]{40,}$/);
    expect(body.message).toEqual(expect.any(String));
    expect((await service.get('/health')).status).toBe(401);
    expect((await service.get('/health', { key: body.api_key })).status).toBe(200);
  });

  // Proves rules keys.38, keys.39.
  it.each(['with the key itself', 'by an owner'])('is replaced by exactly one of many simultaneous rotations %s', async (who) => {
    const beside = await TestService.on(service.database, {}, service);
    const key = who === 'by an owner' ? await service.signIn([], { role: 'owner' }) : service.key;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? service : beside).post('/api-keys/rotate', undefined, { key })),
    );
    await beside.service.close();
    const rotated = answers.filter(({ status }) => status === 200);
    const working = await Promise.all(rotated.map(async ({ body }) => (await service.get('/health', { key: body.api_key })).status));
    expect(working.filter((status) => status === 200)).toHaveLength(1);
    // The session of an owner survives a rotation, so a later rotation replaces the new key.
    if (key === service.key) expect(rotated).toHaveLength(1);
  });

  // Proves rule keys.38.
  it.each([
    ['POST', '/rotate'],
    ['DELETE', '/current'],
  ] as const)('stays valid when a %s %s authenticated with the old key finishes after the rotation', async (method, path) => {
    const { key } = service;
    let newest = '';
    const answer = await overtaken(
      (beside) => beside.call(method, `/v1/api-keys${path}`, undefined, { key }),
      async () => {
        newest = (await service.post('/api-keys/rotate')).body.api_key as string;
      },
    );
    expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining('replaced')]);
    expect((await service.get('/health', { key: newest })).status).toBe(200);
  });

  // Proves rules keys.9, keys.38.
  it('is not created again by a rotation that started before the key was revoked', async () => {
    const answer = await overtaken(
      (beside) => beside.post('/api-keys/rotate', undefined, { key: service.key }),
      () => service.delete('/api-keys/current'),
    );
    expect(answer.status).toBe(404);
    expect((await service.get('/health')).status).toBe(401);
  });

  // Proves rule sandbox.39.
  it('works only for the last of many simultaneous creations by the sandbox', async () => {
    const path = `/accounts/${service.accountId}/main-key`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.sandbox('POST', path)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    const working = await Promise.all(answers.map(async ({ body }) => (await service.get('/health', { key: body.api_key })).status));
    expect(working.filter((status) => status === 200)).toHaveLength(1);
  });

  // Proves rules keys.9, keys.10.
  it('stops working after revocation; a second revocation returns 404 to the owner', async () => {
    const owner = await service.signIn([], { role: 'owner' });
    expect((await service.delete('/api-keys/current')).body).toMatchObject({ success: true, revoked: true });
    expect((await service.get('/health')).status).toBe(401);
    for (const [method, path] of [
      ['GET', '/current'],
      ['DELETE', '/current'],
      ['POST', '/rotate'],
    ] as const)
      expect((await service.call(method, `/v1/api-keys${path}`, undefined, { key: owner })).status).toBe(404);
  });

  // Proves rules keys.11, sandbox.39.
  it('can be created again by the sandbox', async () => {
    await service.delete('/api-keys/current');
    const { body } = await service.sandbox('POST', `/accounts/${service.accountId}/main-key`);
    expect((await service.get('/health', { key: body.api_key })).status).toBe(200);
  });
});

describe('main key usage', () => {
  // Proves rules keys.12, keys.13.
  it('includes the request itself', async () => {
    await service.get('/health');
    const { body } = await service.get('/api-keys/usage');
    expect(body.usage).toEqual({
      limit: 300,
      window_seconds: 60,
      used: 2,
      remaining: 298,
      window_resets_at: new Date(service.clock.now + minutes).toISOString(),
    });
    expect(body).not.toHaveProperty('note');
  });

  // Proves rule keys.14.
  it('is zero with a note in an owner session before the main key is used', async () => {
    const owner = await service.signIn([], { role: 'owner' });
    const { body } = await service.get('/api-keys/usage', { key: owner });
    expect(body).toMatchObject({ usage: { used: 0, remaining: 300, limit: 300 }, note: expect.any(String) });
  });
});

describe('scoped keys', () => {
  // Proves rules keys.4, keys.5, keys.15, keys.28, keys.29.
  it('are read-only, for Analytics and for their own account by default', async () => {
    const { api_key, key } = await createKey();
    expect(api_key).toMatch(/^sk_[\w-]{40,}$/);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      label: expect.any(String),
      key_preview: `${api_key.slice(0, 4)}...${api_key.slice(-4)}`,
      scopes: { read_only: true, tags: ['Analytics'], sub_account_ids: [], rate_limit_per_min: 60 },
      expires_at: null,
      revoked: false,
    });
  });

  // Proves rules keys.16, keys.17, keys.18.
  it('get defaults for omitted scopes; an empty list of sections means all sections', async () => {
    expect((await createKey({ scopes: { read_only: false } })).key.scopes).toMatchObject({ read_only: false, tags: ['Analytics'] });
    expect((await createKey({ scopes: { tags: [] } })).key.scopes).toMatchObject({ tags: [], read_only: true });
  });

  // Proves rules keys.21, credentials.39.
  it('match section names case-insensitively', async () => {
    expect((await createKey({ scopes: { tags: ['cONTACTS', 'mcp servers', 'contacts'] } })).key.scopes.tags).toEqual([
      'Contacts',
      'MCP Servers',
    ]);
  });

  // Proves rules conventions.20, conventions.50, keys.20.
  it('reject invalid ids and sections without repeating them', async () => {
    const secret = 'a\u0000secret';
    const ids = await service.post('/api-keys', { label: 'x', scopes: { sub_account_ids: [secret] } });
    expect([ids.status, ids.body.error]).toEqual([400, expect.stringMatching(/^scopes\.sub_account_ids\.0: /)]);
    const sections = await service.post('/api-keys', { label: 'x', scopes: { tags: ['Analytics', secret] } });
    expect([sections.status, sections.body.error]).toEqual([400, expect.stringMatching(/^scopes\.tags\.1: /)]);
    for (const { body } of [ids, sections]) expect(body.error).not.toContain('secret');
  });

  // Proves rules keys.19, keys.20.
  it.each([[['API Keys']], [['api keys']], [['Analytics', 'Nonsense']]])('reject the sections %j as invalid_scopes', async (tags) => {
    const { key } = await createKey();
    for (const answer of [
      await service.post('/api-keys', { scopes: { tags } }),
      await service.patch(`/api-keys/${key.id}`, { scopes: { tags } }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.error_code).toBe('invalid_scopes');
    }
  });

  // Proves rules keys.22, keys.24, keys.26, keys.27, conventions.60.
  it.each([
    { label: '' },
    { label: '   ' },
    { label: 'x'.repeat(101) },
    { label: null },
    { scopes: null },
    { scopes: [] },
    { scopes: { rate_limit_per_min: 0 } },
    { scopes: { rate_limit_per_min: 301 } },
    { scopes: { rate_limit_per_min: 1.5 } },
    { scopes: { read_only: 'yes' } },
    { scopes: { tags: [7] } },
    { scopes: { sub_account_ids: ['*', 'acc_1'] } },
    { expires_at: 'tomorrow' },
    { expires_at: '2027-02-30' },
    { expires_at: '2027-03-01T12:00:00Z' },
    { expires_at: '2020-01-01' },
  ])('reject %j with 400', async (body) => {
    const { status, body: answer } = await service.post('/api-keys', body);
    expect([status, answer.error_code]).toEqual([400, 400]);
  });

  // Proves rule keys.41.
  it('cannot be limited to the own account by its id, with which they could do nothing', async () => {
    const own = service.accountId;
    const { key } = await createKey();
    for (const ids of [[own], [own, own]]) {
      const scopes = { tags: [], sub_account_ids: ids };
      for (const refused of [await service.post('/api-keys', { scopes }), await service.patch(`/api-keys/${key.id}`, { scopes })])
        expect(refused).toMatchObject({
          status: 400,
          body: { error_code: 'invalid_scopes', error: expect.stringContaining('sub_account_ids') },
        });
    }
    const client = (await service.makeAccount({ parent_account_id: own })).account_id;
    expect((await createKey({ scopes: { sub_account_ids: [own, client] } })).key.scopes.sub_account_ids).toEqual([own, client]);
  });

  // Proves rule keys.23.
  it.each([
    ['tags', 100, 'Tags'],
    ['sub_account_ids', 1_000, 'acc_x'],
  ])('limit %s to %i entries', async (field, most, entry) => {
    const status = async (count: number) =>
      (await service.post('/api-keys', { scopes: { [field]: Array<string>(count).fill(entry) } })).status;
    expect([await status(most), await status(most + 1)]).toEqual([201, 400]);
  });

  // Proves rules keys.25, accounts.22.
  it('may have a higher rate limit if the plan allows it', async () => {
    await service.sandbox('PATCH', `/accounts/${service.accountId}`, { plan: { key_requests_per_minute: 900 } });
    expect((await createKey({ scopes: { rate_limit_per_min: 900 } })).key.scopes.rate_limit_per_min).toBe(900);
    expect((await service.post('/api-keys', { scopes: { rate_limit_per_min: 901 } })).status).toBe(400);
  });

  // Proves rules keys.30, credentials.8.
  it('are listed newest first with their last use, including revoked ones, without the key itself', async () => {
    const first = await createKey({ label: 'first' });
    const second = await createKey({ label: 'second', scopes: { tags: [] } });
    await service.delete(`/api-keys/${first.key.id}`);
    await service.get('/tags', { key: second.api_key });
    const { body } = await service.get('/api-keys');
    expect(body.api_keys).toMatchObject([
      { id: second.key.id, label: 'second', last_used_at: new Date(service.clock.now).toISOString(), revoked: false, revoked_at: null },
      { id: first.key.id, label: 'first', last_used_at: null, revoked: true, revoked_at: new Date(service.clock.now).toISOString() },
    ]);
    expect(JSON.stringify(body)).not.toContain(second.api_key);
  });

  // Proves rules keys.31, keys.32, conventions.59.
  it('are updated by PATCH: scopes as a whole, the key itself never', async () => {
    const { api_key, key } = await createKey({ scopes: { read_only: false, tags: ['Tags'], rate_limit_per_min: 100 } });
    const { body } = await service.patch(`/api-keys/${key.id}`, { scopes: { tags: ['Lists'] }, expires_at: '2028-01-01' });
    expect(body.key).toMatchObject({
      id: key.id,
      scopes: { read_only: true, tags: ['Lists'], sub_account_ids: [], rate_limit_per_min: 60 },
      expires_at: '2028-01-01T00:00:00.000Z',
    });
    expect((await service.get('/lists', { key: api_key })).status).toBe(200);
    expect((await service.get('/tags', { key: api_key })).status).toBe(403);
    expect((await service.patch(`/api-keys/${key.id}`, { expires_at: null })).body.key.expires_at).toBeNull();
  });

  // Proves rule keys.33.
  it('return 400 for an empty PATCH and 404 for an unknown id', async () => {
    const { key } = await createKey();
    expect((await service.patch(`/api-keys/${key.id}`, {})).status).toBe(400);
    expect((await service.patch(`/api-keys/${key.id}`, { unknown: 1 })).status).toBe(400);
    expect((await service.patch('/api-keys/key_unknown', { label: 'x' })).status).toBe(404);
    expect((await service.delete('/api-keys/key_unknown')).status).toBe(404);
  });

  // Proves rules keys.34, keys.35.
  it('stop working immediately when revoked; a second revocation changes nothing', async () => {
    const { api_key, key } = await createKey();
    const revoked = await service.delete(`/api-keys/${key.id}`);
    expect(revoked.body).toMatchObject({ success: true, revoked: true, id: key.id, message: expect.any(String) });
    expect((await service.get('/health', { key: api_key })).status).toBe(401);
    service.clock.now += 5 * minutes;
    expect((await service.delete(`/api-keys/${key.id}`)).status).toBe(200);
    const { body } = await service.get('/api-keys');
    expect(Date.parse(body.api_keys[0].revoked_at)).toBe(service.clock.now - 5 * minutes);
  });

  // Proves rule keys.36.
  it('stop working when they expire', async () => {
    const { api_key } = await createKey({ expires_at: new Date(service.clock.now + minutes).toISOString() });
    service.clock.now += minutes - 1;
    expect((await service.get('/health', { key: api_key })).status).toBe(200);
    service.clock.now += 1;
    expect((await service.get('/health', { key: api_key })).status).toBe(401);
  });

  // Proves rules keys.1, conventions.33, credentials.37.
  it('cannot list, create, change or revoke keys', async () => {
    const { api_key, key } = await createKey({ scopes: { tags: [], read_only: true } });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/current'],
      ['GET', '/usage'],
      ['POST', '/rotate'],
      ['DELETE', '/current'],
      ['PATCH', `/${key.id}`],
      ['DELETE', `/${key.id}`],
    ] as const) {
      const answer = await service.call(method, `/v1/api-keys${path}`, {}, { key: api_key });
      expect([answer.status, answer.body.error_code]).toEqual([403, 'key_scope_denied']);
    }
  });

  // Proves rules keys.40, keys.1, keys.37.
  it('are shown by id, also when they are no longer listed', async () => {
    const { key } = await createKey({ label: 'first', scopes: { tags: [] } });
    const updated = (await service.patch(`/api-keys/${key.id}`, { label: 'old' })).body.key as object;
    await service.liftLimits();
    for (let count = 0; count < 200; count++) await createKey();
    expect(JSON.stringify((await service.get('/api-keys')).body)).not.toContain(key.id);
    expect((await service.get(`/api-keys/${key.id}`)).body).toEqual({ success: true, key: updated });
    await service.delete(`/api-keys/${key.id}`);
    expect((await service.get(`/api-keys/${key.id}`)).body.key).toMatchObject({ label: 'old', revoked: true });
    const scoped = (await createKey({ scopes: { tags: [], read_only: false } })).api_key;
    expect(await service.get(`/api-keys/${key.id}`, { key: scoped })).toMatchObject({
      status: 403,
      body: { error_code: 'key_scope_denied' },
    });
    const other = await service.makeAccount();
    expect((await service.get(`/api-keys/${key.id}`, { key: other.api_key })).status).toBe(404);
    for (const unknown of ['key_unknown', 'none']) expect((await service.get(`/api-keys/${unknown}`)).status).toBe(404);
    expect((await service.get('/api-keys/current')).body).toHaveProperty('api_key_masked');
    expect((await service.get(`/api-keys/${key.id}?sub_account_id=${other.account_id}`)).status).toBe(400);
  });

  // Proves rule keys.37.
  it('are only accessible to their account', async () => {
    const { key } = await createKey();
    const other = await service.makeAccount();
    expect((await service.get('/api-keys', { key: other.api_key })).body.api_keys).toEqual([]);
    expect((await service.patch(`/api-keys/${key.id}`, { label: 'mine' }, { key: other.api_key })).status).toBe(404);
    expect((await service.delete(`/api-keys/${key.id}`, { key: other.api_key })).status).toBe(404);
  });

  // Proves rule keys.30.
  it('are listed up to a limit of 200', async () => {
    await service.liftLimits();
    for (let count = 0; count < 201; count++) await createKey({ label: `key ${count}` });
    const { body } = await service.get('/api-keys');
    expect(body.api_keys).toHaveLength(200);
    expect(body.api_keys[0].label).toBe('key 200');
  });
});

// Proves rules keys.2, conventions.75.
it('key endpoints reject sub_account_id', async () => {
  const client = await service.makeAccount({ parent_account_id: service.accountId });
  expect((await service.get(`/api-keys?sub_account_id=${client.account_id}`)).status).toBe(400);
  expect((await service.post('/api-keys', { sub_account_id: client.account_id })).status).toBe(400);
});
