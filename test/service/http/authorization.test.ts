import { describe, expect } from 'vitest';
import { type Endpoint, isWrite, pathParameters, subAccountPlace, successStatus } from '../../../src/contract/endpoint.ts';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { permissions } from '../../../src/contract/permissions.ts';
import { sections } from '../../../src/contract/sections.ts';
import { callSample, makeSample, makeSamples, type Sample } from '../../support/samples.ts';
import { it } from '../../support/service-test.ts';
import type { Answer, TestService } from '../../support/test-service.ts';

// Every endpoint with every kind of caller. The expected results are derived only from the contract.
let victim: { key: string; ids: string[]; samples: Record<string, Sample> };

interface Agency {
  readonly id: string;
  readonly key: string;
}

async function makeAgency(service: TestService, plan: Record<string, unknown> = {}): Promise<Agency> {
  const { account_id: id, api_key: key } = await service.makeAccount({ kind: 'agency' });
  await service.liftLimits(id);
  if (Object.keys(plan).length > 0) await service.sandbox('PATCH', `/accounts/${id}`, { plan });
  return { id, key };
}

it.beforeAll(async ({ service }) => {
  const agency = await makeAgency(service);
  const samples = await makeSamples(service, agency.key);
  const ids = Object.values(samples).flatMap(({ params }) => Object.values(params ?? {}));
  victim = { key: agency.key, ids, samples };
});

const specs = endpoints.filter(({ access }) => access !== 'public').map((spec) => [spec.name, spec as Endpoint] as const);

/** Endpoints with a record in the path, except the status of a number, which is also returned for unknown numbers. */
const needsSamples = (spec: Endpoint) => pathParameters(spec.path).length > 0 && spec.name !== 'channels.status';

/** Whether another member than an owner is refused, whatever the permissions. */
const isForOwners = (spec: Endpoint) => spec.access === 'owner' || spec.isForOwners === true;

/** Asserts a refusal that reveals nothing about existing records. */
function expectDenied(answer: Answer, status: number, code: number | string = status): void {
  expect([answer.status, answer.body.error_code]).toEqual([status, code]);
  const text = JSON.stringify(answer.body);
  for (const id of victim.ids) expect(text).not.toContain(id);
}

// Proves rules credentials.6, conventions.28, sandbox.3.
it.for(specs)('%s rejects a missing key, a wrong key and the sandbox token', async ([name, spec], { service }) => {
  const sample = victim.samples[name] as Sample;
  for (const key of [null, `mk_${'0'.repeat(43)}`, `sk_${'0'.repeat(43)}`, service.token])
    expectDenied(await callSample(service, spec, sample, key), 401);
});

// Proves rules credentials.7, credentials.21.
it.for(specs)('%s accepts the main key of an agency, unless it requires a member', async ([name, spec], { service }) => {
  const { key } = await makeAgency(service);
  const sample = await makeSample(service, key, name);
  const answer = await callSample(service, spec, sample, key);
  if (spec.access === 'person') expectDenied(answer, 401);
  else expect(answer.status).toBe(successStatus(spec));
});

// Proves rules credentials.7, credentials.28, accounts.1.
it.for(specs)('%s accepts the main key of a standard account, unless it requires an agency', async ([name, spec], { service }) => {
  const { account_id, api_key: key } = await service.makeAccount();
  await service.liftLimits(account_id);
  const sample = await makeSample(service, key, name);
  const answer = await callSample(service, spec, sample, key);
  if (spec.access === 'person') expectDenied(answer, 401);
  else if (spec.access === 'agency') expectDenied(answer, 403);
  else expect(answer.status).toBe(successStatus(spec));
});

// Proves rule conventions.21.
it.for(specs.filter(([, spec]) => needsSamples(spec)))('%s returns 404 for ids of another account', async ([name, spec], { service }) => {
  const stranger = await makeAgency(service);
  // Without an own account at the provider, all endpoints of provider-templates return 400.
  await service.sandbox('PATCH', `/accounts/${stranger.id}`, { template_provider: 'own_account' });
  expectDenied(await callSample(service, spec, victim.samples[name] as Sample, stranger.key), spec.access === 'person' ? 401 : 404);
  const owner = await service.signIn([], { role: 'owner' }, stranger.id);
  expectDenied(await callSample(service, spec, victim.samples[name] as Sample, owner), 404);
});

describe.each(specs)('%s', (name, spec) => {
  // Proves rules credentials.30, credentials.37, credentials.38, credentials.42.
  it('rejects writes and reads of secrets with a read-only key', async ({ service }) => {
    const { key } = await makeAgency(service);
    const sample = await makeSample(service, key, name);
    const { body } = await service.post('/api-keys', { scopes: { tags: [] } }, { key });
    const answer = await callSample(service, spec, sample, body.api_key);
    if (spec.access === 'person') expectDenied(answer, 401);
    else if (spec.section === 'API Keys') expectDenied(answer, 403, 'key_scope_denied');
    else if (isWrite(spec) || name === 'webhooks.getSigningSecret') expectDenied(answer, 403, 'key_read_only');
    else if (spec.access === 'agency') expectDenied(answer, 403, 'key_scope_denied');
    else expect(answer.status).toBe(successStatus(spec));
  });

  // Proves rules credentials.31, credentials.36.
  it('rejects a key without its section, and accepts a key with only that section', async ({ service }) => {
    const { key } = await makeAgency(service);
    const sample = await makeSample(service, key, name);
    const others = sections.filter((section) => section !== spec.section && section !== 'API Keys');
    const without = (await service.post('/api-keys', { scopes: { tags: others, read_only: false } }, { key })).body.api_key as string;
    const denied = await callSample(service, spec, sample, without);
    if (spec.access === 'person') return expectDenied(denied, 401);
    if (spec.access === 'any') return expect(denied.status).toBe(successStatus(spec));
    expectDenied(denied, 403, 'key_scope_denied');
    if (spec.access !== 'account' || spec.isForOwners) return;
    const tags = [spec.section, ...(sample.needs ? [sample.needs.section] : [])];
    const only = (await service.post('/api-keys', { scopes: { tags, read_only: false } }, { key })).body.api_key as string;
    if (sample.needs) {
      const own = (await service.post('/api-keys', { scopes: { tags: [spec.section], read_only: false } }, { key })).body.api_key as string;
      expectDenied(await callSample(service, spec, sample, own), 403, 'key_scope_denied');
    }
    expect((await callSample(service, spec, sample, only)).status).toBe(successStatus(spec));
  });

  // Proves rules credentials.34, credentials.36, conventions.74, lists.7.
  it('restricts a key for one sub-account to that sub-account', async ({ service }) => {
    const agency = await makeAgency(service);
    const client = await service.makeAccount({ parent_account_id: agency.id });
    const sibling = await service.makeAccount({ parent_account_id: agency.id });
    await service.liftLimits(client.account_id);
    const sample = await makeSample(service, client.api_key, name);
    const scopes = { tags: [], read_only: false, sub_account_ids: [client.account_id] };
    const key = (await service.post('/api-keys', { scopes }, { key: agency.key })).body.api_key as string;
    if (spec.access === 'person') return expectDenied(await callSample(service, spec, sample, key, client.account_id), 401);
    if (spec.access === 'any') return expect((await callSample(service, spec, sample, key)).status).toBe(successStatus(spec));
    expectDenied(await callSample(service, spec, sample, key), 403, 'key_scope_denied');
    expectDenied(await callSample(service, spec, sample, key, sibling.account_id), 403, 'key_scope_denied');
    if (!subAccountPlace(spec)) return;
    const allowed = await callSample(service, spec, sample, key, client.account_id);
    if (spec.isForOwners) expectDenied(allowed, 403, 'key_scope_denied');
    else expect(allowed.status).toBe(successStatus(spec));
  });

  // Proves rules credentials.19, credentials.22, credentials.27.
  it('requires its permission from a member', async ({ service }) => {
    const agency = await makeAgency(service);
    const sample = await makeSample(service, agency.key, name);
    const permission = spec.permission ?? sample.needs?.permission;
    const withOthers = await service.signIn(
      permissions.filter((each) => each !== permission),
      {},
      agency.id,
    );
    const answer = await callSample(service, spec, sample, withOthers);
    if (permission || isForOwners(spec)) expectDenied(answer, 403);
    else expect(answer.status).toBe(successStatus(spec));
    const role = isForOwners(spec) ? 'owner' : 'member';
    const needed = await service.signIn(permission ? [permission] : [], { role }, agency.id);
    expect((await callSample(service, spec, sample, needed)).status).toBe(successStatus(spec));
  });

  // Proves rules credentials.7, accounts.20, conventions.32, health.4.
  it('returns 403 if the plan has no API access', async ({ service }) => {
    const agency = await makeAgency(service);
    const sample = await makeSample(service, agency.key, name);
    const owner = await service.signIn([], { role: 'owner' }, agency.id);
    await service.sandbox('PATCH', `/accounts/${agency.id}`, { plan: { api_access: false } });
    expectDenied(await callSample(service, spec, sample, owner), 403);
    expectDenied(await callSample(service, spec, sample, agency.key), spec.access === 'person' ? 401 : 403);
  });
});

// Proves rule credentials.19.
it('members with write permissions can read all unrestricted data, and members with view permissions cannot write', async ({ service }) => {
  const agency = await makeAgency(service);
  const reader = await service.signIn(
    permissions.filter((permission) => permission.endsWith('.view')),
    {},
    agency.id,
  );
  const samples = await makeSamples(service, agency.key);
  // What is a member's own, such as the account on which they act, needs no permission.
  for (const [name, spec] of specs)
    if (isWrite(spec) && (spec.permission?.endsWith('.view') === false || isForOwners(spec)))
      expect((await callSample(service, spec, samples[name] as Sample, reader)).status, name).toBe(403);
});
