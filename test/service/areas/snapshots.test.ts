import { describe, expect } from 'vitest';
import { it as base } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

/** The number of writes of a snapshot before the process fails, once. */
let writesLeft = Infinity;

const it = base
  .extend(
    'options',
    { scope: 'file' },
    {
      failpoint: (name: string) => {
        if (name === 'request.committed' && --writesLeft === 0) throw new Error('The process ends');
      },
    },
  )
  .extend('account', { kind: 'agency' });

interface JobAccount {
  readonly account_id: string;
  readonly status: string;
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly error: string | null;
  readonly needs_attention: readonly { kind: string; key: string; reason: string }[];
}

interface Job {
  readonly job_id: string;
  readonly status: string;
  readonly accounts: readonly JobAccount[];
}

/** Makes calls that must succeed. */
async function call(service: TestService, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await service.call(method, `/v1${path}`, body);
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

async function subAccount(service: TestService, name = 'Client', plan: object = {}): Promise<string> {
  const { id } = (await call(service, 'POST', '/subaccounts', { name })).sub_account as { id: string };
  await service.sandbox('PATCH', `/accounts/${id}`, { plan });
  return id;
}

/** Takes a snapshot of the agency. @returns its id */
async function take(service: TestService, body: object = {}): Promise<string> {
  return ((await call(service, 'POST', '/snapshots', { name: 'Standard', ...body })).snapshot as { id: string }).id;
}

const jobOf = async (service: TestService, id: string, jobId: string) =>
  (await call(service, 'GET', `/snapshots/${id}/jobs/${jobId}`)) as unknown as Job;

/** Applies a snapshot to accounts, and waits for the end. */
async function apply(service: TestService, id: string, account_ids: readonly string[], more: object = {}): Promise<Job> {
  const { job_id: jobId } = await call(service, 'POST', `/snapshots/${id}/apply`, { account_ids, ...more });
  await service.sandbox('POST', '/settle');
  return await jobOf(service, id, String(jobId));
}

/** Gives the agency an agent with a rule, and a tag that the agent needs. @returns the id of the agent */
async function makeAda(service: TestService): Promise<string> {
  const { tag } = (await call(service, 'POST', '/tags', { name: 'VIP' })) as { tag: { id: string } };
  const { agent_id: id } = await call(service, 'POST', '/agents', { name: 'Ada', tags: [{ name: 'VIP', tag_id: tag.id }], active: true });
  await addRule(service, String(id), 'hello');
  return String(id);
}

const addRule = (service: TestService, agentId: string, keyword: string) =>
  call(service, 'POST', `/agents/${agentId}/entry-points`, {
    type: 'keyword',
    channels: ['chatapp'],
    match_config: { keywords: [keyword] },
  });

// Proves rule snapshots.5.
it('a webhook whose tags were deleted arrives switched off', async ({ service }) => {
  const tagOf = async (name: string) => ((await call(service, 'POST', '/tags', { name })).tag as { id: string }).id;
  const [gone, stays] = [await tagOf('Gone'), await tagOf('Stays')];
  const webhook = (name: string, tags: readonly string[]) => ({
    name,
    url: `https://${name}.example/hook`,
    subscribed_to: ['Chat Concluded'],
    subscribed_to_tags: tags,
  });
  for (const [name, tags] of [
    ['none', [gone]],
    ['one', [gone, stays]],
    ['all', []],
  ] as const)
    await call(service, 'POST', '/webhooks', webhook(name, tags));
  await call(service, 'DELETE', `/tags/${gone}`);
  const client = await subAccount(service);
  const { accounts } = await apply(service, await take(service), [client]);
  expect(accounts).toMatchObject([
    { needs_attention: [{ kind: 'webhooks', key: 'none', reason: expect.stringContaining('tags') as string }] },
  ]);
  const { webhooks } = (await service.get(`/webhooks?sub_account_id=${client}`)).body as { webhooks: Record<string, unknown>[] };
  expect(webhooks.map(({ name, enabled, subscribed_to_tags: tags }) => [name, enabled, (tags as string[]).length]).sort()).toEqual([
    ['all', true, 0],
    ['none', false, 0],
    ['one', true, 1],
  ]);
});

const noChange = { created: 0, updated: 0, error: null, needs_attention: [] };

describe('a snapshot', () => {
  // Proves rules snapshots.1, snapshots.2.
  it('has the configuration of an account', async ({ service }) => {
    await makeAda(service);
    await call(service, 'POST', '/short-links', { url: 'https://example.com' });
    const { snapshot } = await call(service, 'POST', '/snapshots', { name: ' Standard ', description: 'for bakeries' });
    expect(snapshot).toEqual({
      id: expect.stringMatching(/^snp_/),
      name: 'Standard',
      description: 'for bakeries',
      account_id: service.accountId,
      counts: { tags: 1, agents: 1, rules: 1 },
      bytes: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { id } = snapshot as { id: string };
    expect(await service.get('/snapshots')).toMatchObject({ status: 200, body: { snapshots: [snapshot], next_cursor: null } });
    expect((await service.get(`/snapshots/${id}`)).body).toEqual({ success: true, snapshot });
    expect((await service.delete(`/snapshots/${id}`)).body).toEqual({ success: true });
    expect((await service.get(`/snapshots/${id}`)).status).toBe(404);
  });

  it('has the kinds in include and what they need, of any account of the agency', async ({ service }) => {
    const client = await subAccount(service);
    await call(service, 'POST', '/lists', { name: 'Regulars', sub_account_id: client });
    await call(service, 'POST', '/tags', { name: 'VIP', sub_account_id: client });
    const { agent_id: agent } = await call(service, 'POST', '/agents', { name: 'Ada', sub_account_id: client });
    await call(service, 'PUT', '/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent, sub_account_id: client });
    const { snapshot } = await call(service, 'POST', '/snapshots', { name: 'x', account_id: client, include: ['defaults'] });
    expect(snapshot).toMatchObject({ account_id: client, description: null, counts: { tags: 1, agents: 1, defaults: 1 } });
  });

  it('is refused for other accounts, unknown kinds, and callers that may not', async ({ service }) => {
    const other = await service.makeAccount();
    const statuses = await Promise.all(
      [{ account_id: other.account_id }, { include: ['keys'] }, { include: [] }, { name: ' ' }, { sub_account_id: other.account_id }].map(
        async (body) => (await service.post('/snapshots', { name: 'x', ...body })).status,
      ),
    );
    expect(statuses).toEqual([404, 400, 400, 400, 400]);
    expect((await service.get('/snapshots', { key: other.api_key })).status).toBe(403);
    const viewer = await service.signIn(['billing.view']);
    expect([
      (await service.get('/snapshots', { key: viewer })).status,
      (await service.post('/snapshots', { name: 'x' }, { key: viewer })).status,
    ]).toEqual([200, 403]);
    const { api_key: scoped } = await call(service, 'POST', '/api-keys', { label: 'x' });
    expect(await service.get('/snapshots', { key: String(scoped) })).toMatchObject({
      status: 403,
      body: { error_code: 'key_scope_denied' },
    });
  });
});

describe('applying a snapshot', () => {
  // Proves rules snapshots.3, snapshots.4.
  it('creates the records on each account, and nothing the second time', async ({ service }) => {
    await makeAda(service);
    const id = await take(service);
    const clients = [await subAccount(service, 'One'), await subAccount(service, 'Two')];
    const job = await apply(service, id, [clients[0] ?? '', clients[1] ?? '', clients[0] ?? '']);
    const completed = { status: 'completed', created: 3, updated: 0, skipped: 0, error: null, needs_attention: [] };
    expect(job).toEqual({
      success: true,
      job_id: expect.stringMatching(/^job_/),
      status: 'completed',
      accounts: clients.map((account_id) => ({ account_id, ...completed })),
    });
    const copies = [service.accountId, ...clients].map(async (account) => {
      const target = await service.call('POST', '/v1/snapshots', { name: 'x', account_id: account });
      return (target.body.snapshot as { counts: object; bytes: number }).bytes;
    });
    expect(new Set(await Promise.all(copies)).size).toBe(1);
    for (const on_conflict of ['skip', 'update'])
      expect((await apply(service, id, clients, { on_conflict })).accounts).toEqual(
        clients.map((account_id) => ({ account_id, status: 'completed', ...noChange, skipped: 3 })),
      );
  });

  // Proves rule snapshots.4.
  it.for([
    ['skip', 'mine', { updated: 0, skipped: 2 }],
    ['update', 'ours', { updated: 1, skipped: 1 }],
  ] as const)('with %s leaves the description %s of a tag that is there', async ([on_conflict, description, counts], { service }) => {
    await call(service, 'POST', '/tags', { name: 'VIP', description: 'ours' });
    await call(service, 'POST', '/lists', { name: 'Regulars' });
    const client = await subAccount(service);
    for (const path of ['/tags', '/lists'])
      await call(service, 'POST', path, {
        name: path === '/tags' ? 'vip' : 'Regulars',
        sub_account_id: client,
        ...(path === '/tags' && { description: 'mine' }),
      });
    await call(service, 'POST', '/tags', { name: 'own', sub_account_id: client });
    const job = await apply(service, await take(service), [client], { on_conflict });
    expect(job.accounts).toMatchObject([{ status: 'completed', created: 0, ...counts }]);
    const { tags } = await call(service, 'GET', `/tags?sub_account_id=${client}`);
    expect(tags).toMatchObject([{ name: 'own' }, { description }]);
  });

  // Proves rule snapshots.4.
  it('keeps the order of rules, and creates those that no rule equals', async ({ service }) => {
    const agent = await makeAda(service);
    for (const keyword of ['first', 'second', 'third']) await addRule(service, agent, keyword);
    const id = await take(service);
    const client = await subAccount(service);
    await apply(service, id, [client], {});
    const { agents } = (await call(service, 'GET', `/agents?sub_account_id=${client}`)) as { agents: { id: string }[] };
    const rules = async () => {
      const answer = await call(service, 'GET', `/agents/${agents[0]?.id}/entry-points?sub_account_id=${client}`);
      return (answer.entry_points as { match_config: { keywords: string[] }; revision: number }[])
        .toSorted((one, other) => other.revision - one.revision)
        .map(({ match_config: { keywords } }) => keywords[0]);
    };
    expect(await rules()).toEqual(['third', 'second', 'first', 'hello']);
    await addRule(service, agent, 'fourth');
    const job = await apply(service, await take(service), [client], { on_conflict: 'update' });
    expect(job.accounts).toMatchObject([{ created: 1, updated: 0, skipped: 6 }]);
    expect(await rules()).toEqual(['fourth', 'third', 'second', 'first', 'hello']);
  });

  // Proves rule snapshots.5.
  it('switches off what needs secrets, and leaves out defaults of numbers that are not connected', async ({ service }) => {
    const agent = await makeAda(service);
    await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    await call(service, 'PUT', '/entry-points/channel-defaults', { channel: 'chatapp', agent_id: agent, phone_number: '+14155550100' });
    await call(service, 'POST', '/webhooks', {
      name: 'Orders',
      url: 'https://example.com/x',
      subscribed_to: ['Contact Created'],
      generate_signing_secret: true,
    });
    await call(service, 'POST', '/custom-functions', {
      name: 'lookup',
      url: 'https://example.com/f',
      headers: { Authorization: 'Bearer secret-1' },
    });
    await call(service, 'POST', '/custom-functions', { name: 'plain', url: 'https://example.com/f' });
    await call(service, 'POST', '/mcp-servers', { name: 'crm', url: 'https://example.com/mcp', headers: { 'X-Key': 'secret-2' } });
    const id = await take(service);
    const client = await subAccount(service);
    const first = await apply(service, id, [client]);
    expect(first.accounts[0]?.needs_attention.map(({ kind, key }) => [kind, key])).toEqual([
      ['functions', 'lookup'],
      ['tool-servers', 'crm'],
      ['webhooks', 'Orders'],
      ['defaults', 'chatapp / +14155550100'],
    ]);
    expect(first.accounts).toMatchObject([{ created: 7, updated: 0, skipped: 0 }]);
    const on = `?sub_account_id=${client}`;
    expect((await call(service, 'GET', `/custom-functions${on}`)).custom_functions).toMatchObject([
      { name: 'plain', enabled: true },
      { name: 'lookup', enabled: false, headers: {} },
    ]);
    expect((await call(service, 'GET', `/mcp-servers${on}`)).mcp_servers).toMatchObject([{ name: 'crm', enabled: false }]);
    expect((await call(service, 'GET', `/webhooks${on}`)).webhooks).toMatchObject([{ enabled: false, signing_enabled: true }]);
    const again = await apply(service, id, [client], { on_conflict: 'update' });
    expect(again.accounts).toMatchObject([{ created: 0, updated: 0, skipped: 7 }]);
    // What it needs is still missing, but for the secret of the webhook.
    expect(again.accounts[0]?.needs_attention.map(({ kind }) => kind)).toEqual(['functions', 'tool-servers', 'defaults']);
  });

  // Proves rule snapshots.5.
  it('switches off a record that it changes, unless it has the secrets it needs', async ({ service }) => {
    const client = await subAccount(service);
    const on = `?sub_account_id=${client}`;
    const hook = { name: 'Orders', url: 'https://example.com/x', subscribed_to: ['Contact Created'] };
    const lookup = { name: 'lookup', url: 'https://example.com/f' };
    await call(service, 'POST', '/webhooks', { ...hook, generate_signing_secret: true });
    await call(service, 'POST', '/webhooks', { ...hook, sub_account_id: client });
    await call(service, 'POST', '/custom-functions', { ...lookup, description: 'New', headers: { Authorization: 'Bearer secret-1' } });
    await call(service, 'POST', '/custom-functions', { ...lookup, sub_account_id: client });
    const id = await take(service);
    const job = await apply(service, id, [client], { on_conflict: 'update' });
    expect(job.accounts[0]?.needs_attention).toMatchObject([
      { kind: 'functions', key: 'lookup' },
      { kind: 'webhooks', key: 'Orders' },
    ]);
    expect((await call(service, 'GET', `/webhooks${on}`)).webhooks).toMatchObject([{ enabled: false, signing_enabled: true }]);
    expect((await call(service, 'GET', `/custom-functions${on}`)).custom_functions).toMatchObject([{ enabled: false, description: 'New' }]);
    const again = await apply(service, id, [client], { on_conflict: 'update' });
    expect(again.accounts).toMatchObject([{ updated: 0, needs_attention: [{ kind: 'functions' }] }]);
  });

  // Proves rule snapshots.5.
  it('fails before anything is written where the plan has no room, and leaves the others alone', async ({ service }) => {
    await makeAda(service);
    await call(service, 'POST', '/agents', { name: 'Bob' });
    const id = await take(service);
    const small = await subAccount(service, 'Small', { max_agents: 1 });
    const large = await subAccount(service, 'Large');
    const job = await apply(service, id, [small, large]);
    expect(job.status).toBe('completed');
    expect(job.accounts).toMatchObject([
      { status: 'failed', ...noChange, error: 'Nothing was applied: the plan allows 1 agent', skipped: 0 },
      { status: 'completed', created: 4 },
    ]);
    expect((await call(service, 'GET', `/tags?sub_account_id=${small}`)).tags).toEqual([]);
    expect((await apply(service, id, [small])).status).toBe('failed');
  });

  // Proves rule snapshots.6.
  it('is one at a time, and only for sub-accounts', async ({ service }) => {
    const id = await take(service);
    const client = await subAccount(service);
    const other = await service.makeAccount();
    const statusOf = async (body: object) => (await service.post(`/snapshots/${id}/apply`, body)).status;
    expect(await statusOf({ account_ids: [client, other.account_id] })).toBe(404);
    expect(await statusOf({ account_ids: [service.accountId] })).toBe(404);
    expect(await statusOf({ account_ids: [] })).toBe(400);
    expect(await statusOf({ account_ids: Array.from({ length: 101 }, () => client) })).toBe(400);
    expect(await statusOf({ account_ids: [client], on_conflict: 'replace' })).toBe(400);
    await service.sandbox('POST', '/jobs', { hold: ['snapshot_apply'] });
    const { job_id: jobId } = await call(service, 'POST', `/snapshots/${id}/apply`, { account_ids: [client] });
    expect(await jobOf(service, id, String(jobId))).toMatchObject({ status: 'queued', accounts: [{ status: 'queued' }] });
    expect([await statusOf({ account_ids: [client] }), (await service.delete(`/snapshots/${id}`)).status]).toEqual([409, 409]);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await jobOf(service, id, String(jobId))).toMatchObject({ status: 'completed', accounts: [{ ...noChange, skipped: 0 }] });
    expect((await service.get(`/snapshots/${id}/jobs/job_none`)).status).toBe(404);
    expect((await service.get(`/snapshots/${await take(service)}/jobs/${String(jobId)}`)).status).toBe(404);
    expect((await service.delete(`/snapshots/${id}`)).status).toBe(200);
  });

  // Proves rule snapshots.6.
  it('fails on an account that was deleted meanwhile', async ({ service }) => {
    const id = await take(service);
    const clients = [await subAccount(service), await subAccount(service)];
    await service.sandbox('POST', '/jobs', { hold: ['snapshot_apply'] });
    const { job_id: jobId } = await call(service, 'POST', `/snapshots/${id}/apply`, { account_ids: clients });
    await call(service, 'DELETE', `/subaccounts/${clients[0]}`);
    await service.sandbox('POST', '/jobs', { hold: [] });
    await service.sandbox('POST', '/settle');
    expect(await jobOf(service, id, String(jobId))).toMatchObject({
      status: 'completed',
      accounts: [{ status: 'failed', error: 'The account was deleted' }, { status: 'completed' }],
    });
  });

  // Proves rule snapshots.7.
  it.for([1, 2, 3, 4, 5])('goes on after the process ended after write %s', async (count, { service }) => {
    await makeAda(service);
    await call(service, 'POST', '/webhooks', {
      name: 'Orders',
      url: 'https://example.com/x',
      subscribed_to: ['Contact Created'],
      generate_signing_secret: true,
    });
    const id = await take(service);
    const client = await subAccount(service);
    await call(service, 'POST', '/lists', { name: 'own', sub_account_id: client });
    await service.sandbox('POST', '/clock', { frozen: true });
    await service.sandbox('POST', '/jobs', { hold: ['snapshot_apply'] });
    const { job_id: jobId } = await call(service, 'POST', `/snapshots/${id}/apply`, { account_ids: [client] });
    await service.sandbox('POST', '/jobs', { hold: [] });
    writesLeft = count;
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    expect(service.errors.splice(0)).toHaveLength(1);
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
    await service.sandbox('POST', '/clock', { frozen: false });
    expect((await jobOf(service, id, String(jobId))).accounts).toMatchObject([
      { status: 'completed', created: 4, updated: 0, skipped: 0, needs_attention: [{ kind: 'webhooks', key: 'Orders' }] },
    ]);
    const { agents } = (await call(service, 'GET', `/agents?sub_account_id=${client}`)) as { agents: object[] };
    expect(agents).toMatchObject([{ name: 'Ada', active: true }]);
    expect((await call(service, 'GET', `/webhooks?sub_account_id=${client}`)).webhooks).toMatchObject([{ enabled: false }]);
  });
});
