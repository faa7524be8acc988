import { describe, expect } from 'vitest';
import { type Endpoint, type ObjectSchema, schemaOf } from '../../../src/contract/endpoint.ts';
import { allEndpoints } from '../../../src/contract/endpoints.ts';
import { makeSamples, type Sample } from '../../support/samples.ts';
import { it as base } from '../../support/service-test.ts';
import type { Answer, TestService } from '../../support/test-service.ts';

// What programs tell errors apart by: the field and the reason. The test service checks on each call that a known reason is used,
// and that a text that begins with a field comes with that field.

const it = base.extend('options', { scope: 'file' }, { onAnswer: undefined });
let samples: Record<string, Sample>;
/** The ID token of an owner. */
let owner: string;

it.beforeAll(async ({ service }) => {
  await service.liftLimits();
  samples = await makeSamples(service, service.key);
  owner = await service.signIn([], { role: 'owner' });
});

type Fields = Readonly<Record<string, unknown>>;

async function call(service: TestService, spec: Endpoint, { params = {}, query = {}, body }: Sample): Promise<Answer> {
  const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
  const isSandbox = path.startsWith('/sandbox/');
  const target = `${isSandbox ? '' : '/v1'}${path}?${String(new URLSearchParams(query))}`;
  return await service.call(spec.method, target, body, { key: isSandbox ? service.token : spec.access === 'person' ? owner : service.key });
}

/** The values of a request with one of them replaced by each of some wrong ones, with the path of that one. */
function withWrong(values: Fields, names: readonly string[], wrong: readonly unknown[]): { path: string; values: Fields }[] {
  return names.flatMap((name) => [
    ...wrong.map((value) => ({ path: name, values: { ...values, [name]: value } })),
    ...inner(values[name], wrong).map(({ path, value }) => ({ path: `${name}.${path}`, values: { ...values, [name]: value } })),
  ]);
}

function inner(value: unknown, wrong: readonly unknown[]): { path: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const put = (changed: unknown) => (Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed });
    return [
      ...wrong.map((each) => ({ path: name, value: put(each) })),
      ...inner(item, wrong).map(({ path, value: changed }) => ({ path: `${name}.${path}`, value: put(changed) })),
    ];
  });
}

const fieldsOf = (schema: (() => ObjectSchema) | undefined) => (schema ? Object.keys(schemaOf(schema).shape) : []);

/** Whether an error is about the field at a path, about a part of it or about what it is in. */
function isAbout({ field, reason }: { field?: string; reason?: string }, path: string): boolean {
  if (field === undefined) return reason === 'choice_of_fields';
  return `${path}.`.startsWith(`${field}.`) || `${field}.`.startsWith(`${path}.`);
}

// Proves rules conventions.20, conventions.91.
describe('a 400 for a field', () => {
  const specs = allEndpoints.filter(({ body, query }: Endpoint) => body ?? query);

  it.for(specs.map((spec) => [spec.name, spec as Endpoint] as const))('of %s has its path', async ([_name, spec], { service }) => {
    const sample = samples[spec.name] ?? {};
    const requests = [
      ...withWrong(sample.body ?? {}, fieldsOf(spec.body), [null, '\0', [[null]], { x: [] }]).map(({ path, values: body }) => ({
        path,
        request: { ...sample, body },
      })),
      ...withWrong(sample.query ?? {}, fieldsOf(spec.query), ['\0', '', '-', '1e999']).map(({ path, values }) => ({
        path,
        request: { ...sample, query: values as Record<string, string> },
      })),
    ];
    // A valid request that is made twice can be refused for what the first one did.
    await call(service, spec, sample);
    const repeated = (await call(service, spec, sample)).body.error as string | undefined;
    let refused = 0;
    for (const { path, request } of requests) {
      const { status, body } = await call(service, spec, request);
      if (status !== 400 || (samples[spec.name] && body.error === repeated)) continue;
      refused++;
      // Without a valid request to begin with, a field that is missing is reported first.
      if (samples[spec.name] === undefined) expect(body.field ?? body.reason, JSON.stringify(body)).toBeDefined();
      else expect(isAbout(body, path), `${path}: ${JSON.stringify(body)}`).toBe(true);
    }
    expect(refused).toBeGreaterThan(0);
  });

  it.for([
    ['tags.create', {}, { field: 'name', reason: 'missing_field' }],
    ['keys.create', { label: 'x', scopes: { tags: ['Tags', 'Nothing'] } }, { field: 'scopes.tags.1', error_code: 'invalid_scopes' }],
    ['contacts.create', { channel: 'email' }, { field: 'identity', reason: 'missing_field' }],
    ['agents.create', { name: 'x', availability: { monday: { start_time: '9' } } }, { field: 'availability.monday.start_time' }],
    ['sandbox.clock.set', {}, { reason: 'choice_of_fields', error: "body: give 'now' or 'frozen'" }],
  ] as const)('of %s stands beside the reason: %j', async ([name, body, expected], { service }) => {
    const spec = allEndpoints.find((each) => each.name === name) as Endpoint;
    expect((await call(service, spec, { body })).body).toMatchObject(expected);
  });
});

// Proves rules conventions.91, tags.2, webhooks.13.
describe('a 409 for a name that is taken', () => {
  /** Requests that give a record the name of another one, by their endpoints. */
  const named: Readonly<Record<string, Fields>> = {
    'tags.create': { name: 'Taken' },
    'tags.update': { name: 'Taken' },
    'webhooks.create': { name: 'Taken', url: 'https://example.com/hook', subscribed_to: ['Replies'] },
    'webhooks.update': { name: 'Taken' },
    'links.create': { slug: 'taken', url: 'https://example.com/' },
    'agents.addTag': { tag: { name: 'Taken' } },
    'functions.create': { name: 'taken' },
    'functions.update': { name: 'taken' },
    'toolServers.create': { name: 'taken' },
    'toolServers.update': { name: 'taken' },
    'groups.create': { name: 'Taken' },
    'groups.update': { name: 'Taken' },
    'pipelines.create': { name: 'Taken' },
    'pipelines.update': { name: 'Taken' },
    'widgets.create': { name: 'Taken' },
    'widgets.update': { name: 'Taken' },
  };

  it.for(Object.entries(named))('of %s has the reason name_taken', async ([name, body], { service }) => {
    const spec = allEndpoints.find((each) => each.name === name) as Endpoint;
    const create = allEndpoints.find((each) => each.name === name.replace('.update', '.create')) as Endpoint;
    await call(service, create, { ...samples[create.name], body: { ...samples[create.name]?.body, ...named[create.name] } });
    const sample = samples[name];
    const { status, body: answer } = await call(service, spec, { ...sample, body: { ...sample?.body, ...body } });
    expect([status, answer.reason]).toEqual([409, 'name_taken']);
  });

  it('comes from no other endpoint', async ({ service }) => {
    for (const spec of allEndpoints as readonly Endpoint[]) {
      // Media have a name within their agent: their tests say so.
      if (spec.name === 'media.add') continue;
      const { body } = samples[spec.name] ?? {};
      if (spec.method === 'GET' || spec.method === 'DELETE' || body === undefined || spec.name in named) continue;
      for (const key of ['name', 'slug', 'label', 'title'].filter((each) => fieldsOf(spec.body).includes(each))) {
        const request = { ...samples[spec.name], body: { ...body, [key]: 'Taken' } };
        await call(service, spec, request);
        const { status, body: answer } = await call(service, spec, request);
        expect([spec.name, status, answer.reason]).not.toEqual([spec.name, 409, expect.anything()]);
      }
    }
  });
});
