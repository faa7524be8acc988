import fc from 'fast-check';
import { expect } from 'vitest';
import { type Endpoint, pathParameters, schemaOf } from '../../../src/contract/endpoint.ts';
import { allEndpoints } from '../../../src/contract/endpoints.ts';
import { makeSamples, type Sample } from '../../support/samples.ts';
import { it as base } from '../../support/service-test.ts';
import { engine } from '../../support/stores.ts';
import { isLongSweep, tries } from '../../support/sweeps.ts';

// Thousands of malformed requests, generated from the contract. None may return 500, and every response must have the envelope,
// which the test service checks on each call.

const it = base.extend('options', { scope: 'file' }, { onAnswer: undefined });
let samples: Record<string, Sample>;

it.beforeAll(async ({ service }) => {
  await service.liftLimits();
  samples = await makeSamples(service, service.key);
});

// Excluded, because they could delete the account, the key or the clock that the other requests need, or create and recount whole
// histories. Other tests cover their malformed input.
const destructive = new Set([
  'keys.rotate',
  'keys.revokeCurrent',
  'sandbox.demo',
  'sandbox.rebuildCounts',
  'sandbox.reset',
  'sandbox.faults.add',
  'sandbox.clock.advance',
  'sandbox.jobs.hold',
  'sandbox.settle',
  'sandbox.accounts.update',
  'sandbox.accounts.mainKey',
]);

const specs = allEndpoints.filter(({ name }) => !destructive.has(name)) as Endpoint[];

const nasty = fc.oneof(
  fc.anything({ withNullPrototype: false, withBigInt: false, maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\0',
    '\u{1F600}',
    '\ud800',
    'x'.repeat(10_001),
    -1,
    0,
    1e308,
    2 ** 53,
    true,
    [],
    {},
    [null],
    '9'.repeat(400),
  ),
  fc.constantFrom<unknown>(
    "'; drop table tags; --",
    '${7*7}',
    '../../etc/passwd',
    '%00',
    '<script>',
    '__proto__',
    'constructor',
    '2027-02-30',
    '*',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

function malformed(spec: Endpoint): fc.Arbitrary<{ params: string[]; query: Record<string, string>; raw: string }> {
  const fields = spec.body ? Object.keys(schemaOf(spec.body).shape) : [];
  const queries = spec.query ? Object.keys(schemaOf(spec.query).shape) : [];
  const name = (known: string[]) =>
    fc.oneof(
      ...(known.length > 0 ? [fc.constantFrom(...known)] : []),
      fc.constantFrom('sub_account_id', '__proto__', 'x'),
      fc.string({ maxLength: 8 }),
    );
  const object = fc.dictionary(name(fields), nasty, { maxKeys: 5 }).map((body) => ({ ...samples[spec.name]?.body, ...body }));
  return fc.record({
    params: fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(encode),
        fc.constantFrom('%', '%zz', '%00', '%2e%2e', '*', '{id}', ':id'),
      ),
      {
        minLength: pathParameters(spec.path).length,
        maxLength: pathParameters(spec.path).length,
      },
    ),
    query: fc.dictionary(
      name(queries),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('', '0', '-1', '1e9', 'NaN', 'null', '\0')),
      { maxKeys: 3 },
    ),
    raw: fc.oneof(
      object.map((body) => JSON.stringify(body)),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.json(),
      fc.constantFrom('{', '[[[[', '{"a":1}}', '\u0000', '"', '[]', 'null', '{"__proto__":{"name":"x"}}'),
    ),
  });
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return 'lone-surrogate';
  }
}

// Proves rules conventions.16, conventions.18, conventions.19.
it.for(specs.filter((_, index) => isLongSweep || index % 3 === 0).map((spec) => [spec.name, spec] as const))(
  '%s returns the envelope for malformed requests, never 500',
  async ([_name, spec], { service }) => {
    await fc.assert(
      fc.asyncProperty(malformed(spec), async ({ params, query, raw }) => {
        const path = pathParameters(spec.path).reduce<string>(
          (at, name, index) => at.replace(`{${name}}`, () => params[index] ?? 'x'),
          spec.path,
        );
        const isSandbox = path.startsWith('/sandbox/');
        const target = `${isSandbox ? '' : '/v1'}${path}?${String(new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, value.toWellFormed()])))}`;
        const { status, body } = await service.call(spec.method, target, undefined, { raw, key: isSandbox ? service.token : service.key });
        expect(status, JSON.stringify(body)).toBeLessThan(500);
        const text = JSON.stringify(body);
        expect(text).not.toMatch(/SQLITE|select |insert |at .*\.ts:|node_modules/);
      }),
      // Malformed requests are rejected before the store is used, so the second engine gets fewer of them.
      { numRuns: tries(engine === 'sqlite' ? 20 : 6) },
    );
    expect(service.errors.splice(0)).toEqual([]);
  },
);

/** The sample bodies of an endpoint, each with NUL in one of its texts. */
function withNul(spec: Endpoint): Record<string, unknown>[] {
  const sample = samples[spec.name]?.body ?? {};
  const fields = spec.body ? Object.keys(schemaOf(spec.body).shape) : [];
  return [...fields.map((name) => ({ ...sample, [name]: 'a\0' })), ...(variants(sample) as Record<string, unknown>[])];
}

function variants(value: unknown): unknown[] {
  if (typeof value === 'string') return ['a\0'];
  if (Array.isArray(value)) return value.flatMap((item, index) => variants(item).map((changed) => value.with(index, changed)));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => variants(item).map((changed) => ({ ...value, [name]: changed })));
}

// Proves rule conventions.50: PostgreSQL cannot store NUL, so each text must be checked.
it('the character NUL is rejected or removed in all fields and parameters', async ({ service }) => {
  for (const spec of specs) {
    const { params = {}, query = {} } = samples[spec.name] ?? {};
    const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x');
    const isSandbox = path.startsWith('/sandbox/');
    const call = async (parameters: Record<string, string>, body?: object) => {
      const target = `${isSandbox ? '' : '/v1'}${path}?${String(new URLSearchParams(parameters))}`;
      const { status } = await service.call(spec.method, target, body, { key: isSandbox ? service.token : service.key });
      expect(status, `${spec.method} ${target} ${JSON.stringify(body)}`).toBeLessThan(500);
    };
    for (const name of Object.keys(spec.query ? schemaOf(spec.query).shape : {})) await call({ ...query, [name]: 'a\0' });
    for (const body of withNul(spec)) await call(query, body);
  }
  expect(service.errors.splice(0)).toEqual([]);
});
