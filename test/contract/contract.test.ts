import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { getBroadcast } from '../../src/contract/areas/broadcasts/endpoints.ts';
import { getSession } from '../../src/contract/areas/sessions/endpoints.ts';
import { getContact } from '../../src/contract/areas/contacts/endpoints.ts';
import { message } from '../../src/contract/areas/messages/endpoints.ts';
import { getTask } from '../../src/contract/areas/tasks/endpoints.ts';
import { getCredits } from '../../src/contract/areas/credits/endpoints.ts';
import { sampleData } from '../../src/service/areas/webhooks/sample-data.ts';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { answerSchema, type Endpoint, type ObjectSchema, pathParameters, subAccountPlace } from '../../src/contract/endpoint.ts';
import { allEndpoints, endpoints } from '../../src/contract/endpoints.ts';
import { reasons } from '../../src/contract/errors.ts';
import { eventNames } from '../../src/contract/areas/webhooks/event-names.ts';
import { instant, integerQuery, name, text } from '../../src/contract/fields.ts';
import { parseInstant } from '../../src/contract/time/instants.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { mask, redact, secret } from '../../src/contract/secret.ts';
import { findSection, sections } from '../../src/contract/sections.ts';
import { version } from '../../src/version.ts';

const all: readonly Endpoint[] = allEndpoints;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(openApiDocument(all)));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('describes the effective default of an omitted field', () => {
    const { paths } = openApiDocument(endpoints);
    const written = JSON.stringify(paths['/events']?.post);
    expect(written).toContain('"description":"minutes per slot (default: 30)"');
    expect(JSON.stringify(paths)).not.toContain('"usual"');
  });

  // Proves rule conventions.91.
  it('describes the reason and the field of errors, and the rules list the reasons', () => {
    const { properties } = openApiDocument(all).components.schemas.Error as { properties: Record<string, object> };
    expect(properties).toMatchObject({ reason: { type: 'string', examples: Object.keys(reasons) }, field: { type: 'string' } });
    const rows = Object.entries(reasons).map(([reason, what]) => `| \`${reason}\` | ${what} |`);
    expect(readFileSync('docs/interface/conventions.md', 'utf8')).toContain(
      `| Reason | What was refused |\n|---|---|\n${rows.join('\n')}\n`,
    );
  });

  it('has a summary and a success response for every endpoint', () => {
    const { paths } = openApiDocument(endpoints);
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as {
      summary: string;
      responses: Record<string, unknown>;
    }[];
    expect(operations).toHaveLength(endpoints.length);
    for (const { summary, responses } of operations) {
      expect(summary).toMatch(/^[A-Z].*[^.]$/);
      expect(Object.keys(responses).some((status) => /^2|302/.test(status))).toBe(true);
    }
  });

  // Proves rules health.6, health.7.
  it('has every endpoint except those of the sandbox, under its name and section', () => {
    const { paths } = openApiDocument(endpoints);
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const { operationId, tags } = operation as { operationId: string; tags: string[] };
        return [method.toUpperCase(), path, operationId, tags];
      }),
    );
    const expected = all
      .filter(({ name }) => !name.startsWith('sandbox.'))
      .map(({ method, path, name, section }) => [method, path, name, [section]]);
    expect(found.map(String).sort()).toEqual(expected.map(String).sort());
  });

  it('shows where sub_account_id is sent, and which fields are secret', () => {
    const document = JSON.stringify(openApiDocument(endpoints).paths['/tags']);
    expect(document.match(/"sub_account_id"/g)).toHaveLength(2);
    expect(JSON.stringify(openApiDocument(endpoints).paths['/api-keys/rotate'])).toContain('"x-secret":true');
  });
});

describe('the list of endpoints', () => {
  it('has no duplicate names, and no duplicate methods and paths', () => {
    const keys = all.flatMap(({ name, method, path }) => [name, `${method} ${path.replace(/\{\w+\}/g, '{}')}`]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(all.map((spec) => [spec.name, spec] as const))('%s is consistent', (_name, spec) => {
    expect(Object.keys(spec.responses)).toHaveLength(1);
    if (spec.rows) expect(Object.keys(answerSchema(spec).shape)).toEqual(expect.arrayContaining([spec.rows, 'next_cursor']));
    if (spec.method === 'GET') expect(spec.body).toBeUndefined();
    // The status of a channel can also be read for a number that was never paired.
    if (pathParameters(spec.path).length > 0 && spec.name !== 'channels.status') expect(spec.errors).toContain(404);
    if (spec.access === 'owner' || spec.access === 'agency') expect(subAccountPlace(spec)).toBeNull();
  });
});

describe('secrets', () => {
  const schema = z.object({
    api_key: secret(z.string()),
    label: z.string(),
    nested: z.object({ token: secret(z.string()).nullable() }).optional(),
    list: z.array(z.object({ value: secret(z.string()) })),
  });

  it('are masked by field, at any depth', () => {
    const value = { api_key: 'mk_1', label: 'mk_1', nested: { token: 't' }, list: [{ value: 'v', more: 1 }], unknown: 'kept' };
    expect(redact(schema, value)).toEqual({
      api_key: mask,
      label: 'mk_1',
      nested: { token: mask },
      list: [{ value: mask, more: 1 }],
      unknown: 'kept',
    });
    expect(value.api_key).toBe('mk_1');
  });

  it('are optional, and values of another shape are returned unchanged', () => {
    expect(redact(schema, { label: 'x', list: 'none', nested: { token: null } })).toEqual({
      label: 'x',
      list: 'none',
      nested: { token: null },
    });
    const windows = z.union([z.object({ token: secret(z.string()) }), z.array(z.object({ token: secret(z.string()) }))]);
    expect(redact(windows, [])).toEqual([]);
    expect(redact(windows, [{ token: 't', at: 1 }])).toEqual([{ token: mask, at: 1 }]);
    expect(redact(schema, undefined)).toBeUndefined();
    expect(redact(schema, 'text')).toBe('text');
  });

  it('are marked in every response that shows a key', () => {
    for (const spec of all) {
      const { shape } = answerSchema(spec);
      for (const field of ['api_key', 'id_token'])
        if (field in shape) expect(redact(answerSchema(spec), { [field]: 'value' }), spec.name).toEqual({ [field]: mask });
    }
  });
});

describe('the OpenAPI document', () => {
  const { paths } = openApiDocument(endpoints) as unknown as { paths: Record<string, Record<string, object>> };
  it('shows defaults for new records but not for updates, which keep omitted fields', () => {
    const fieldsOf = (path: string, method: string) =>
      Object.entries(
        (paths[path]?.[method] as { requestBody?: { content: Record<string, { schema: { properties?: object } }> } }).requestBody?.content[
          'application/json'
        ]?.schema.properties ?? {},
      ).filter(([name]) => name !== 'sub_account_id') as [string, { description?: string }][];
    const described = (path: string, method: string) => fieldsOf(path, method).map(([, { description = '' }]) => description);
    expect(described('/webhooks', 'post').join()).toContain('(default: ');
    const updates = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) => (method === 'put' || method === 'patch' ? [[path, method] as const] : [])),
    );
    expect(updates.length).toBeGreaterThan(10);
    for (const [path, method] of updates) expect(described(path, method).join(), `${method} ${path}`).not.toContain('(default: ');
    // A value that is replaced as a whole has defaults.
    const [, scopes] = fieldsOf('/api-keys/{id}', 'patch').find(([name]) => name === 'scopes') ?? [];
    expect(JSON.stringify(scopes)).toContain('(default: ');
  });
});

describe('fields', () => {
  it.each([
    ['2027-03-01', '2027-03-01T00:00:00.000Z'],
    ['2027-03-01T10:00Z', '2027-03-01T10:00:00.000Z'],
    ['2027-03-01T10:00:00.5+02:00', '2027-03-01T08:00:00.500Z'],
    ['2027-03-01T10:00:00', '2027-03-01T10:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('accept the instant %s', (given, expected) => {
    expect(new Date(parseInstant(given) as number).toISOString()).toBe(expected);
    expect(instant().safeParse(given).success).toBe(true);
  });

  it.each([
    '',
    'now',
    '2027-02-29',
    '2027-13-01',
    '2027-04-31T00:00:00Z',
    '2027-3-1',
    '20270301',
    '2027-03-01T24:00:00Z',
    '2027-03-01 10:00',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
    '1',
  ])('reject the instant %j', (given) => {
    expect(parseInstant(given)).toBeUndefined();
    expect(instant().safeParse(given).success).toBe(false);
  });

  it('have bounds for names, texts and integers', () => {
    expect(name().parse(' x ')).toBe('x');
    expect(name().safeParse('x'.repeat(201)).success).toBe(false);
    expect(text().safeParse('x'.repeat(10_000)).success).toBe(true);
    expect(text().safeParse('x'.repeat(10_001)).success).toBe(false);
    expect(integerQuery(1, 5).safeParse('6').success).toBe(false);
    expect(integerQuery(1, 5).parse('5')).toBe(5);
  });
});

it('sections are found ignoring case', () => {
  for (const section of sections) expect(findSection(section.toUpperCase())).toBe(section);
  expect(findSection('nonsense')).toBeUndefined();
});

it('there are 24 event names, all different', () => {
  expect(new Set(eventNames).size).toBe(24);
});

it('the version is that of package.json', () => {
  expect((JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version).toBe(version);
});

describe('sample events', () => {
  const schemas: Record<string, ObjectSchema> = {
    contact: answerSchema(getContact).shape.contact,
    message: message(),
    task: answerSchema(getTask).shape.task,
    broadcast: answerSchema(getBroadcast).shape.broadcast,
    chat_session: answerSchema(getSession).shape.chat_session,
    credits: answerSchema(getCredits),
  };

  it.each(eventNames)('%s has a record in the shape of the interface', (event) => {
    for (const [noun, record] of Object.entries(sampleData(event, Date.parse('2027-03-01T12:00:00Z'))))
      if (schemas[noun]) expect(z.strictObject(schemas[noun].shape).parse(record)).toEqual(record);
  });
});
