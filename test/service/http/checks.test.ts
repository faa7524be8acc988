import { afterEach, describe, expect, vi } from 'vitest';
import { permissions } from '../../../src/contract/permissions.ts';
import { it } from '../../support/service-test.ts';
import { makeDatabase } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

it.beforeAll(async ({ service }) => {
  await service.liftLimits();
});

async function scopedKey(service: TestService, scopes: Record<string, unknown>, key = service.key): Promise<string> {
  return (await service.post('/api-keys', { scopes }, { key })).body.api_key as string;
}

describe('credentials', () => {
  const basic = (user: string, password = '') => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });

  // Proves rules credentials.1, credentials.2.
  it('are accepted in four ways', async ({ service }) => {
    const none = { key: null };
    expect((await service.get(`/health?apiKey=${service.key}`, none)).status).toBe(200);
    expect((await service.get('/health', { ...none, headers: { 'x-api-key': service.key } })).status).toBe(200);
    expect((await service.get('/health', { ...none, headers: { authorization: `bearer ${service.key}` } })).status).toBe(200);
    expect((await service.get('/health', { ...none, headers: basic(service.key) })).status).toBe(200);
  });

  // Proves rule credentials.5.
  it('do not hide another credential if they are unusable', async ({ service }) => {
    for (const authorization of ['', 'Negotiate abc', 'Digest x'])
      expect((await service.get('/health', { key: null, headers: { authorization, 'x-api-key': service.key } })).status).toBe(200);
    expect((await service.get(`/health?apiKey=${service.key}`, { key: null, headers: { 'x-api-key': '' } })).status).toBe(200);
  });

  // Proves rule credentials.4.
  it('are checked in a fixed order, and a wrong one is final', async ({ service }) => {
    const status = async (authorization: string | null, header: string | null, query: string) => {
      const headers = { ...(authorization && { authorization }), ...(header && { 'x-api-key': header }) };
      return (await service.get(`/health?apiKey=${query}`, { key: null, headers })).status;
    };
    const { key } = service;
    expect(await status(`Bearer ${key}`, 'mk_wrong', 'mk_wrong')).toBe(200);
    expect(await status('Bearer mk_wrong', key, key)).toBe(401);
    expect(await status(basic(key).authorization, 'mk_wrong', 'mk_wrong')).toBe(200);
    expect(await status(basic('mk_wrong').authorization, key, key)).toBe(401);
    expect(await status(basic(key, 'secret').authorization, key, key)).toBe(401);
    expect(await status(null, key, 'mk_wrong')).toBe(200);
    expect(await status(null, 'mk_wrong', key)).toBe(401);
  });

  // Proves rules credentials.6, conventions.28.
  it.for([
    ['no credential', {}],
    ['an unknown key', { authorization: `Bearer mk_${'x'.repeat(43)}` }],
    ['no scheme', { authorization: 'secret' }],
    ['an unknown scheme', { authorization: 'Digest abc' }],
    ['a broken token', { authorization: 'Bearer a.b.c' }],
  ] as const)('return 401 if there is %s', async ([_name, headers], { service }) => {
    const { status, body } = await service.get('/health', { key: null, headers });
    expect([status, body.error_code]).toEqual([401, 401]);
  });

  // Proves rule credentials.3.
  it('return 401 for Basic authentication with a password', async ({ service }) => {
    expect((await service.get('/health', { key: null, headers: basic(service.key, 'secret') })).status).toBe(401);
  });

  // Proves rules sandbox.2, sandbox.3.
  it('for the sandbox are rejected under /v1, and keys under /sandbox', async ({ service }) => {
    expect((await service.get('/health', { key: service.token })).status).toBe(401);
    expect((await service.sandbox('GET', '/clock', undefined, { key: service.key })).status).toBe(401);
    expect((await service.sandbox('GET', '/clock', undefined, { key: null })).status).toBe(401);
  });
});

describe('ID tokens', () => {
  // Proves rules credentials.7, credentials.10, team.1, team.4.
  it('authenticate a member on all endpoints, and are required on /team', async ({ service }) => {
    const ann = await service.signIn(['contacts.view'], { name: 'Ann' });
    const { status, body } = await service.get('/team', { key: ann });
    expect(status).toBe(200);
    expect(body.members).toContainEqual({
      id: expect.stringMatching(/^mem_/),
      name: 'Ann',
      email: expect.any(String),
      role: 'member',
      permissions: ['contacts.view'],
      status: 'active',
    });
    expect((await service.get('/tags', { key: ann })).status).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/x'],
    ] as const)
      expect((await service.call(method, `/v1/team${path}`)).status).toBe(401);
  });

  // Proves rules credentials.16, sandbox.40.
  it("expire after an hour of the service's clock", async ({ service }) => {
    const token = await service.signIn([], { role: 'owner' });
    service.clock.now += 3_599_000;
    expect((await service.get('/team', { key: token })).status).toBe(200);
    service.clock.now += 2_000;
    expect((await service.get('/team', { key: token })).status).toBe(401);
  });

  // Proves rule credentials.16.
  it('from another store are rejected', async ({ service }) => {
    const other = await TestService.open();
    const token = await other.signIn([], { role: 'owner' });
    expect((await service.get('/team', { key: token })).status).toBe(401);
    await other.close();
  });

  // Proves rule credentials.16.
  it('are rejected if they were changed', async ({ service }) => {
    const token = await service.signIn([], { role: 'owner' });
    const [head, , signature] = token.split('.');
    const payload = Buffer.from(JSON.stringify({ sub: 'mem_1', iss: 'msgctl-sandbox', aud: 'msgctl', exp: 9e9 })).toString('base64url');
    expect((await service.get('/team', { key: `${head}.${payload}.${signature}` })).status).toBe(401);
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect((await service.get('/team', { key: `${none}.${payload}.x` })).status).toBe(401);
  });

  // Proves rules credentials.19, credentials.20, credentials.27.
  it('give members the required permissions, and an owner all permissions', async ({ service }) => {
    const viewer = await service.signIn(['contacts.view']);
    const owner = await service.signIn([], { role: 'owner' });
    expect((await service.post('/tags', { name: 'by viewer' }, { key: viewer })).status).toBe(403);
    expect((await service.post('/tags', { name: 'by owner' }, { key: owner })).status).toBe(201);
    expect((await service.get('/tags', { key: await service.signIn([]) })).status).toBe(403);
    expect((await service.get('/api-keys', { key: viewer })).status).toBe(403);
    expect((await service.get('/api-keys', { key: owner })).status).toBe(200);
  });

  // Proves rules team.2, team.3, team.6, credentials.29.
  it('can list the team in order of joining, and the team of a sub-account', async ({ service }) => {
    const agency = await service.makeAccount({ kind: 'agency' });
    const client = await service.makeAccount({ parent_account_id: agency.account_id });
    const join = (name: string, role: string, id: string) => service.signIn([], { name, role }, id);
    const key = await join('Zoe', 'member', agency.account_id);
    await join('Ann', 'owner', agency.account_id);
    await join('Mia', 'member', agency.account_id);
    await join('Bob', 'member', client.account_id);
    const team = async (query = '') =>
      ((await service.get(`/team${query}`, { key })).body.members as { name: string; permissions: string[] }[]).map(
        ({ name, permissions: held }) => [name, held.length],
      );
    expect(await team()).toEqual([
      ['Zoe', 0],
      ['Ann', permissions.length],
      ['Mia', 0],
    ]);
    expect(await team(`?sub_account_id=${client.account_id}`)).toEqual([['Bob', 0]]);
  });

  // Proves rules sandbox.42, team.5.
  it('require a unique email address of the member', async ({ service }) => {
    const body = { name: 'B', email: 'twice@test.example', permissions: [] };
    expect((await service.sandbox('POST', `/accounts/${service.accountId}/members`, body)).status).toBe(201);
    expect((await service.sandbox('POST', `/accounts/${service.accountId}/members`, { ...body, email: 'TWICE@test.example' })).status).toBe(
      409,
    );
  });
});

describe('the order of the checks', () => {
  // Proves rules conventions.28, conventions.30, conventions.31, sandbox.2, sandbox.6.
  it('checks the credential before it reveals whether a path exists', async ({ service }) => {
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['PATCH', '/tags'],
      ['GET', '/tags/x'],
    ] as const)
      expect((await service.call(method, `/v1${path}`, undefined, { key: null })).status).toBe(401);
    expect((await service.get('/nowhere')).status).toBe(404);
    expect(await service.patch('/tags')).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    expect((await service.call('OPTIONS', '/v1/tags')).status).toBe(405);
    expect((await service.call('GET', '/elsewhere', undefined, { key: null })).status).toBe(404);
    expect((await service.sandbox('GET', '/nowhere', undefined, { key: null })).status).toBe(401);
    expect((await service.sandbox('GET', '/nowhere')).status).toBe(404);
    expect((await service.sandbox('DELETE', '/clock')).status).toBe(405);
  });

  // Proves rules conventions.27, conventions.30, conventions.32, conventions.33, conventions.34.
  it('checks the plan before the scopes, and the scopes before the sub-account', async ({ service }) => {
    const { account_id, api_key } = await service.makeAccount({ kind: 'agency' });
    const readOnly = await scopedKey(service, { tags: ['Analytics'] }, api_key);
    const writer = await scopedKey(service, { tags: ['Analytics'], read_only: false }, api_key);
    const anywhere = await scopedKey(service, { tags: [], read_only: false, sub_account_ids: ['*'] }, api_key);
    const code = async (key: string, body: object) =>
      (await service.post('/tags', { name: 1, ...body }, { key })).body.error_code as unknown;
    expect(await code(readOnly, { sub_account_id: 'acc_unknown' })).toBe('key_read_only');
    expect(await code(writer, { sub_account_id: 'acc_unknown' })).toBe('key_scope_denied');
    expect(await code(anywhere, { sub_account_id: 'acc_unknown' })).toBe(404);
    expect(await code(anywhere, {})).toBe(400);
    await service.sandbox('PATCH', `/accounts/${account_id}`, { plan: { api_access: false } });
    expect(await code(readOnly, { sub_account_id: 'acc_unknown' })).toBe(403);
    expect((await service.get('/health', { key: api_key })).status).toBe(403);
    expect((await service.get('/nowhere', { key: api_key })).status).toBe(404);
  });

  // Proves rules conventions.27, conventions.36, conventions.38.
  it('checks permission and agency before the fields, and the fields before existence', async ({ service }) => {
    const { account_id, api_key } = await service.makeAccount();
    const viewer = await service.signIn(['contacts.view'], {}, account_id);
    expect((await service.post('/tags', { name: 1 }, { key: viewer })).status).toBe(403);
    expect((await service.post('/subaccounts', {}, { key: api_key })).status).toBe(403);
    expect((await service.put('/tags/tag_unknown', { name: 1 }, { key: api_key })).status).toBe(400);
    expect((await service.put('/tags/tag_unknown', { name: 'x' }, { key: api_key })).status).toBe(404);
  });

  // Proves rule conventions.27.
  it.for<[method: 'put' | 'post', path: string, body: object]>([
    ['put', '/appointments/apt_none', { start_time: '2026-03-10T09:00:00Z', end_time: '2026-03-10T08:00:00Z' }],
    ['put', '/entry-points/ep_none', { type: 'keyword', channels: ['sms'], match_config: { keywords: [] } }],
    ['put', '/entry-points/ep_none', { type: 'photo_social_comment', channels: ['sms'] }],
    ['put', '/chatapp-templates/tpl_none', { body: '{{a}}', variables: ['b'] }],
    ['put', '/broadcasts/brc_none', { body: 'x', template_id: 'tpl_none' }],
    ['post', '/faqs/reorder', { campaign_id: 'cmp_none', ordered_faq_ids: ['a', 'a'] }],
  ])('checks combinations of fields before existence: %s %s %j', async ([method, path, body], { service }) => {
    expect((await service[method](path, body)).status).toBe(400);
  });

  it('checks a range before the existence of its event type', async ({ service }) => {
    const slots = '/appointments/available-slots?event_id=evt_none&start_time=2026-03-10';
    expect((await service.get(`${slots}&end_time=2026-03-09`)).status).toBe(400);
    expect((await service.get(`${slots}&end_time=2026-03-10`)).status).toBe(404);
  });

  // Proves rule conventions.35.
  it('checks agency and feature before the permission of a member', async ({ service }) => {
    const { account_id } = await service.makeAccount({ plan: { webhooks: false } });
    const member = { key: await service.signIn([], {}, account_id) };
    const error = async (path: string) => (await service.post(path, {}, member)).body.error as string;
    expect(await error('/subaccounts')).toBe('Only an agency account can do this');
    expect(await error('/webhooks')).toBe('Webhooks are not enabled on this account');
    await service.sandbox('PATCH', `/accounts/${account_id}`, { plan: { webhooks: true } });
    expect(await error('/webhooks')).toBe('This needs the permission integrations.edit');
  });

  // Proves rules conventions.40, conventions.77, webhooks.1.
  it("checks API access for the caller's account, and features for the acting account", async ({ service }) => {
    const agency = await service.makeAccount({ kind: 'agency', plan: { webhooks: false } });
    const client = await service.makeAccount({ parent_account_id: agency.account_id, plan: { api_access: false } });
    const status = async () => (await service.get(`/webhooks?sub_account_id=${client.account_id}`, { key: agency.api_key })).status;
    expect(await status()).toBe(200);
    await service.sandbox('PATCH', `/accounts/${client.account_id}`, { plan: { webhooks: false } });
    expect(await status()).toBe(403);
  });

  // Proves rules conventions.41, health.5, rate-limits.18.
  it('skips the first six checks for a public endpoint', async ({ service }) => {
    const { account_id, api_key: key } = await service.makeAccount();
    const scoped = await scopedKey(service, {}, key);
    await service.sandbox('PATCH', `/accounts/${account_id}`, { plan: { api_access: false, account_requests_per_minute: 1 } });
    for (const each of [null, 'mk_wrong', 'a.b.c', key, key, scoped]) {
      const answer = await service.get('/openapi.json?sub_account_id=acc_unknown', { key: each });
      expect([answer.status, answer.headers['ratelimit-limit']]).toEqual([200, undefined]);
    }
  });

  // Proves rule conventions.45.
  it('treats an unreadable body as one without a sub-account, and returns 400 only when it checks the fields', async ({ service }) => {
    const { account_id } = await service.makeAccount({ parent_account_id: service.accountId });
    const listed = await scopedKey(service, { tags: [], read_only: false, sub_account_ids: [account_id] });
    expect((await service.post('/tags', undefined, { key: listed, raw: '{broken' })).body.error_code).toBe('key_scope_denied');
    expect((await service.post('/tags', undefined, { raw: '{broken' })).body.error_code).toBe(400);
  });
});

describe('scoped keys', () => {
  // Proves rules credentials.36, health.3.
  it('can use health with any sections and accounts', async ({ service }) => {
    const { account_id } = await service.makeAccount({ parent_account_id: service.accountId });
    for (const scopes of [{}, { tags: ['Contacts'] }, { tags: ['Contacts'], sub_account_ids: [account_id] }])
      expect((await service.get('/health', { key: await scopedKey(service, scopes) })).status).toBe(200);
  });

  // Proves rules credentials.31, credentials.41.
  it('are restricted to their sections', async ({ service }) => {
    const key = await scopedKey(service, { tags: ['Tags'], read_only: false });
    expect((await service.get('/tags', { key })).status).toBe(200);
    expect((await service.get('/lists', { key })).body.error_code).toBe('key_scope_denied');
    expect((await service.get('/users/me', { key: await scopedKey(service, { tags: ['Users'] }) })).status).toBe(200);
  });

  // Proves rule credentials.41.
  it.for([
    ['GET', '/contacts', 'Contacts'],
    ['GET', '/contacts/con_x', 'Contacts'],
    ['POST', '/contacts/import', 'Contacts'],
    ['POST', '/contacts/send', 'Messages'],
    ['GET', '/contacts/con_x/messages', 'Messages'],
    ['GET', '/users/me', 'Users'],
    ['GET', '/users/me/credits', 'Users'],
    ['GET', '/events', 'Events'],
  ] as const)('require for %s %s the section %s', async ([method, path, section], { service }) => {
    const code = async (tag: string) => {
      const key = await scopedKey(service, { tags: [tag], read_only: false });
      return (await service.call(method, `/v1${path}`, {}, { key })).body.error_code as unknown;
    };
    expect(await code(section)).not.toBe('key_scope_denied');
    for (const other of ['Contacts', 'Messages', 'Users', 'Events'].filter((each) => each !== section))
      expect(await code(other)).toBe('key_scope_denied');
  });

  // Proves rules credentials.38, accounts.2.
  it('are rejected on sub-account endpoints: first as read-only, then as scoped', async ({ service }) => {
    const readOnly = await scopedKey(service, { tags: [] });
    const writer = await scopedKey(service, { tags: [], read_only: false });
    expect((await service.post('/subaccounts', { name: 'x' }, { key: readOnly })).body.error_code).toBe('key_read_only');
    expect((await service.post('/subaccounts', { name: 'x' }, { key: writer })).body.error_code).toBe('key_scope_denied');
    expect((await service.get('/subaccounts', { key: readOnly })).body.error_code).toBe('key_scope_denied');
  });

  // Proves rules credentials.32, credentials.33, credentials.34, credentials.35.
  it('act only on the accounts in their list', async ({ service }) => {
    const client = await service.makeAccount({ parent_account_id: service.accountId });
    const sibling = await service.makeAccount({ parent_account_id: service.accountId });
    const foreign = await service.makeAccount();
    const target = (id: string) => `/tags?sub_account_id=${id}`;
    const own = await scopedKey(service, { tags: [] });
    const any = await scopedKey(service, { tags: [], sub_account_ids: ['*'] });
    const listed = await scopedKey(service, { tags: [], sub_account_ids: [client.account_id, foreign.account_id] });
    const codes = async (key: string) => {
      const answers = await Promise.all(
        ['/tags', target(client.account_id), target(sibling.account_id), target(foreign.account_id)].map((path) =>
          service.get(path, { key }),
        ),
      );
      return answers.map(({ body }) => (body.success ? 200 : body.error_code) as unknown);
    };
    const denied = 'key_scope_denied';
    expect(await codes(own)).toEqual([200, denied, denied, denied]);
    expect(await codes(any)).toEqual([200, 200, 200, 404]);
    expect(await codes(listed)).toEqual([denied, 200, denied, 404]);
  });
});

describe('sub_account_id', () => {
  // Proves rules conventions.73, conventions.74, whoami.2.
  it('selects a managed account: in the query of GET and DELETE, in the body of other methods', async ({ service }) => {
    const client = await service.makeAccount({ parent_account_id: service.accountId });
    const made = await service.post('/tags', { name: 'of the client', sub_account_id: client.account_id });
    const { id } = made.body.tag as { id: string };
    expect((await service.get('/tags', { key: client.api_key })).body.tags).toHaveLength(1);
    expect((await service.get(`/tags?sub_account_id=${client.account_id}`)).body.tags).toHaveLength(1);
    expect((await service.put(`/tags/${id}`, { name: 'renamed' })).status).toBe(404);
    expect((await service.put(`/tags/${id}`, { name: 'renamed', sub_account_id: client.account_id })).status).toBe(200);
    expect((await service.delete(`/tags/${id}?sub_account_id=${client.account_id}`)).status).toBe(200);
    expect((await service.get(`/users/me?sub_account_id=${client.account_id}`)).body.user.id).toBe(client.account_id);
  });

  // Proves rules conventions.34, conventions.50.
  it('returns 404 for an account that the caller does not manage, including its own', async ({ service }) => {
    const foreign = await service.makeAccount();
    for (const id of [foreign.account_id, service.accountId, 'acc_unknown', '', '%00'])
      expect((await service.get(`/tags?sub_account_id=${id}`)).status).toBe(404);
    expect((await service.get(`/tags?sub_account_id=${service.accountId}`, { key: foreign.api_key })).status).toBe(404);
  });

  // Proves rules conventions.74, lists.7.
  it('is refused in the wrong place, also beside the right one, and nothing is done', async ({ service }) => {
    const { account_id: id, api_key: key } = await service.makeAccount({ parent_account_id: service.accountId });
    const { tag } = (await service.post('/tags', { name: 'of the agency' })).body;
    const before = (await service.get('/tags')).body.tags;
    const { list } = (await service.post('/lists', { name: 'x' })).body;
    const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
    const named = { sub_account_id: id };
    for (const [method, path, body, place] of [
      ['POST', `/v1/tags?sub_account_id=${id}`, { name: 'x' }, 'query'],
      ['POST', `/v1/tags?sub_account_id=${id}`, { name: 'x', ...named }, 'query'],
      ['PUT', `/v1/tags/${tag.id}?sub_account_id=${id}`, { name: 'x' }, 'query'],
      ['GET', '/v1/tags', named, 'body'],
      ['GET', `/v1/tags?sub_account_id=${id}`, named, 'body'],
      ['DELETE', `/v1/tags/${tag.id}`, named, 'body'],
      ['DELETE', `/v1/lists/${list.id}/contacts`, { contact_ids: [contact.id], ...named }, 'body'],
    ] as const) {
      const answer = await service.call(method, path, body);
      expect([method, path, answer.status, answer.body.field]).toEqual([method, path, 400, 'sub_account_id']);
      expect(answer.body.error).toMatch(new RegExp(`not in the ${place}$`));
    }
    expect((await service.get('/tags')).body.tags).toEqual(before);
    expect((await service.get('/tags', { key })).body.tags).toEqual([]);
  });

  // Proves rules conventions.77, credentials.29.
  it('does not change the permissions of a member', async ({ service }) => {
    const client = await service.makeAccount({ parent_account_id: service.accountId });
    const [viewer, editor] = [await service.signIn(['contacts.view']), await service.signIn(['contacts.edit'])];
    const body = { name: 'by a member', sub_account_id: client.account_id };
    expect((await service.post('/tags', body, { key: viewer })).status).toBe(403);
    expect((await service.post('/tags', body, { key: editor })).status).toBe(201);
    const tags = `/tags?sub_account_id=${client.account_id}`;
    expect((await service.get(tags, { key: viewer })).body.tags).toHaveLength(1);
    expect((await service.get(tags, { key: editor })).status).toBe(403);
  });

  // Proves rules conventions.77, rate-limits.13.
  it("counts requests for the caller's key and account only", async ({ service }) => {
    const agency = await service.makeAccount({ kind: 'agency', plan: { key_requests_per_minute: 3 } });
    const client = await service.makeAccount({ parent_account_id: agency.account_id, plan: { account_requests_per_minute: 1 } });
    const statuses = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await service.get(`/tags?sub_account_id=${client.account_id}`, { key: agency.api_key })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await service.get('/tags', { key: client.api_key })).status).toBe(200);
    expect((await service.get('/tags', { key: client.api_key })).status).toBe(429);
  });

  // Proves rule conventions.76.
  it('must be a string', async ({ service }) => {
    for (const id of [null, 7, {}, []]) expect((await service.post('/tags', { name: 'x', sub_account_id: id })).status).toBe(400);
  });

  // Proves rules accounts.3, conventions.75.
  it('returns 400 where it is not accepted', async ({ service }) => {
    expect((await service.get('/subaccounts?sub_account_id=acc_1')).status).toBe(400);
    expect((await service.post('/subaccounts', { name: 'x', sub_account_id: 'acc_1' })).status).toBe(400);
    expect((await service.post('/api-keys?sub_account_id=acc_1', {})).status).toBe(400);
  });
});

describe('request bodies', () => {
  // Proves rule conventions.42.
  it.for(['{', '[]', '"text"', '7', 'null', '{"name": }'])('return 400 if they are not a JSON object: %s', async (raw, { service }) => {
    expect((await service.post('/tags', undefined, { raw })).status).toBe(400);
  });

  // Proves rule conventions.42.
  it.for([[0xff], [0xc3], [0xed, 0xa0, 0x80]])('return 400 if they are not UTF-8: %s', async (bytes, { service }) => {
    const raw = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const { status, body } = await service.post('/tags', undefined, { raw });
    expect([status, body.error]).toEqual([400, 'The body is not valid JSON: it is not UTF-8']);
  });

  // Proves rule conventions.92.
  it('may begin with a byte order mark', async ({ service }) => {
    expect(await service.post('/tags', undefined, { raw: '\uFEFF{"name":"VIP"}' })).toMatchObject({
      status: 201,
      body: { tag: { name: 'VIP' } },
    });
  });

  // Proves rule conventions.43.
  it.for(['', ' \n', '{}'])('are treated as empty objects if they contain nothing: %j', async (raw, { service }) => {
    expect((await service.post('/api-keys', undefined, { raw })).status).toBe(201);
    expect((await service.post('/tags', undefined, { raw })).body.error).toMatch(/^name: /);
  });

  // Proves rule conventions.44.
  it('are read with GET and DELETE too, also where none is taken', async ({ service }) => {
    const { tag } = (await service.post('/tags', { name: 'to be kept' })).body;
    for (const raw of ['{broken', '[]', '[{"sub_account_id":"acc_1"}]', '{"sub_account_id":"acc_1"']) {
      expect((await service.get('/tags', { raw })).status).toBe(400);
      expect((await service.delete(`/tags/${tag.id}`, { raw })).status).toBe(400);
    }
    const large = JSON.stringify({ pad: 'x'.repeat(1024 * 1024), sub_account_id: 'acc_1' });
    expect((await service.delete(`/tags/${tag.id}`, { raw: large })).status).toBe(413);
    for (const raw of ['{}', ' ']) expect((await service.get('/tags', { raw })).status).toBe(200);
    expect((await service.delete(`/tags/${tag.id}`, { raw: '{"unknown":1}' })).status).toBe(200);
  });

  it('that repeat a key where an id belongs are refused without it', async ({ service }) => {
    const { agent_id: agent } = (await service.post('/agents', { name: 'Ada' })).body;
    const key = `mk_${'a'.repeat(24)}`;
    for (const [path, body] of [
      [`/agents/${agent}/kb-sources`, { kb_source_id: key }],
      ['/faqs/dedupe', { sourceIds: [key] }],
      [`/agents/${agent}/kb-sources`, { kb_source_id: `a\n${key}` }],
    ] as const)
      expect(await service.post(path, body)).toMatchObject({
        status: 404,
        body: { error: expect.stringMatching(/^Source (a\n)?\*{8} not found$/) },
      });
    const hours = await service.put(`/agents/${agent}/active-hours`, { availability: { [key]: {} } });
    expect([hours.status, JSON.stringify(hours.body).includes(key)]).toEqual([400, false]);
  });

  // Proves rule conventions.46.
  it('return 413 above 1 MiB', async ({ service }) => {
    const just = JSON.stringify({ name: 'big', ignored: 'x'.repeat(1024 * 1024 - 30) });
    expect(just.length).toBeLessThanOrEqual(1024 * 1024);
    expect((await service.post('/tags', undefined, { raw: just })).status).toBe(201);
    expect((await service.post('/tags', undefined, { raw: `${just}${' '.repeat(40)}` })).status).toBe(413);
  });

  // Proves rule conventions.82.
  it.for([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ] as const)('with nested %s may have at most 128 levels', async ([_what, opening, closing], { service }) => {
    const trigger = async (levels: number) => {
      // The body itself and its `data` are levels too.
      const nested = opening.repeat(levels - 2) + (opening === '[' ? '' : '1') + closing.repeat(levels - 2);
      const raw = `{"event":"Replies","data":{"a":${nested}}}`;
      return await service.call('POST', `/sandbox/accounts/${service.accountId}/events`, undefined, { key: service.token, raw });
    };
    expect((await trigger(128)).status).toBe(200);
    for (const levels of [129, 100_000]) {
      const { status, body } = await trigger(levels);
      expect([levels, status, body.error]).toEqual([levels, 400, 'JSON is nested too deeply: at most 128 levels']);
    }
    const brackets = JSON.stringify({ name: `\\"${'['.repeat(500)}` });
    expect((await service.post('/tags', undefined, { raw: brackets })).status).toBe(400);
    const description = `\\"${'[{'.repeat(500)}`;
    expect((await service.post('/tags', { name: `Brackets in texts, ${opening}`, description })).body.tag).toMatchObject({ description });
    expect(service.errors).toEqual([]);
  });

  // Proves rules conventions.47, conventions.48.
  it('may have unknown fields; null returns 400 unless the field is nullable', async ({ service }) => {
    expect((await service.post('/tags', { name: 'unknown fields', whatever: [1] })).status).toBe(201);
    expect((await service.post('/tags', { name: 'null description', description: null })).status).toBe(201);
    expect((await service.post('/tags', { name: null })).status).toBe(400);
  });

  // Proves rule conventions.20.
  it('cause an error that names the invalid field, but not its value', async ({ service }) => {
    const { body } = await service.post('/api-keys', { label: 'x', scopes: { read_only: 'hunter2' } });
    expect(body.error).toBe('scopes.read_only: must be true or false');
  });
});

describe('a query', () => {
  // Proves rule conventions.5.
  it('uses the first value of a repeated parameter', async ({ service }) => {
    expect((await service.get('/tags?limit=1&limit=none')).status).toBe(200);
    expect((await service.get('/tags?limit=none&limit=1')).status).toBe(400);
  });
});

// Proves rule conventions.54.
it.for([
  ['', 400],
  ['x', 404],
  ['x'.repeat(200), 404],
  ['x'.repeat(201), 400],
] as const)('an id %j returns %i in a query and in a body', async ([id, status], { service }) => {
  expect((await service.get(`/contacts?tag_id=${id}`)).status).toBe(status);
  expect((await service.post('/tasks', { title: 'x', contact_id: id })).status).toBe(status);
});

// Proves rule conventions.8.
it('a literal path segment takes precedence over an id', async ({ service }) => {
  const { api_key: key } = await service.makeAccount();
  expect((await service.delete('/api-keys/current', { key })).body).toEqual({
    success: true,
    revoked: true,
    message: expect.any(String),
  });
  expect((await service.get('/health', { key })).status).toBe(401);
});

// Proves rules health.1, health.2.
it('health returns ok, the version, the acting account and the clock', async ({ service }) => {
  const client = await service.makeAccount({ parent_account_id: service.accountId });
  const { status, body } = await service.get(`/health?sub_account_id=${client.account_id}`);
  const time = new Date(service.clock.now).toISOString();
  expect([status, body]).toEqual([200, { success: true, status: 'ok', version: 'test', account_id: client.account_id, time }]);
});

describe('a service failure', () => {
  afterEach(() => vi.useRealTimers());

  // Proves rules conventions.18, conventions.19, conventions.22.
  it('returns 500 with a fixed text', async () => {
    const failure = new Error('select * from secrets at /srv/service.ts');
    const failing = await TestService.open({
      failpoint: (name) => {
        if (name === 'request.committed') throw failure;
      },
    });
    const { status, body } = await failing.post('/tags', { name: 'x' });
    expect([status, body]).toEqual([500, { success: false, error: 'Something went wrong in the service; try again', error_code: 500 }]);
    expect(failing.errors).toEqual([failure]);
    await failing.close();
  });

  // Proves rules conventions.23, conventions.25.
  it('returns 503 if a write has not finished after 30 seconds', async () => {
    const database = await makeDatabase();
    const store = await database.open();
    const write: typeof store.write = store.write.bind(store);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const slow = await TestService.on(database, { store });
    // So that the next request does not need to write a reservation of the rate limit.
    for (let count = 0; count < 4; count++) expect((await slow.get('/tags')).status).toBe(200);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const writes: Promise<unknown>[] = [];
    store.write = (work) => {
      begin();
      const written = held.then(() => write(work));
      writes.push(written);
      return written;
    };
    const answer = slow.post('/tags', { name: 'late' });
    await begun;
    vi.advanceTimersByTime(29_999);
    let answered = false;
    void answer.then(() => (answered = true));
    await new Promise(setImmediate);
    expect(answered).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await answer).status).toBe(503);
    vi.useRealTimers();
    release();
    await Promise.all(writes);
    expect((await slow.get('/tags')).body.tags).toMatchObject([{ name: 'late' }]);
    await slow.close();
  });
});

describe('response headers', () => {
  // Proves rules rate-limits.16, rate-limits.18.
  it('include the rate limit for valid credentials', async ({ service }) => {
    for (const path of ['/tags', '/nowhere', '/tags?limit=0'])
      expect((await service.get(path)).headers).toMatchObject({
        'ratelimit-limit': '1000000',
        'ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'ratelimit-reset': expect.stringMatching(/^\d+$/),
      });
    expect((await service.get('/tags', { key: null })).headers).not.toHaveProperty('ratelimit-limit');
  });

  // Proves rule conventions.6.
  it('prevent caching and content sniffing', async ({ service }) => {
    for (const { headers } of [
      await service.get('/tags'),
      await service.get('/nowhere', { key: null }),
      await service.sandbox('GET', '/clock'),
    ])
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
      });
  });
});

// Proves rule conventions.49.
it('a lone surrogate is replaced, on both engines', async ({ service }) => {
  const answer = await service.call('POST', '/v1/tasks', undefined, { raw: '{"title":"a\\ud800b","description":"\\ud83d\\ude00"}' });
  expect([answer.status, answer.body.task?.title, answer.body.task?.description]).toEqual([201, 'a\ufffdb', '\u{1F600}']);
});
