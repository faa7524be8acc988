import { describe, expect, it } from 'vitest';
import { eventNames } from '../../src/contract/areas/webhooks/event-names.ts';
import { payloadSchema } from '../../src/contract/areas/webhooks/payloads.ts';
import { answerSchema, type Endpoint, schemaOf, subAccountPlace, successStatus } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { fieldDescriptions } from '../../src/contract/openapi-glossary.ts';
import { sampleData } from '../../src/service/areas/webhooks/sample-data.ts';

// What programs that read the document rely on: generators, validators and viewers.

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly { name: string; in: string; description?: string; deprecated?: boolean; schema: Schema }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { $ref?: string; description?: string; headers?: object; content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

const document = JSON.parse(JSON.stringify(openApiDocument(endpoints))) as {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, object>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, { description: string; headers: object }>;
    headers: Record<string, Schema>;
  };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const operationOf = (name: string) => operations.find(({ operationId }) => operationId === name) as Operation;

/** Calls a function with each object in a part of the document. */
function walk(part: unknown, visit: (value: Schema, path: string) => void, path = ''): void {
  if (typeof part !== 'object' || part === null) return;
  visit(part, path);
  for (const [name, inner] of Object.entries(part)) walk(inner, visit, `${path}/${name}`);
}

// Proves rule health.8.
describe('the OpenAPI document', () => {
  it('describes every operation, parameter, answer, header and field', () => {
    const missing: string[] = [];
    const check = (what: string, { description, $ref }: Schema) => {
      if (description === undefined && $ref === undefined) missing.push(what);
    };
    for (const operation of operations) {
      check(operation.operationId, operation);
      for (const parameter of operation.parameters) check(`${operation.operationId} ${parameter.name}`, parameter);
      for (const [status, answer] of Object.entries(operation.responses)) check(`${operation.operationId} ${status}`, answer);
    }
    for (const [name, header] of Object.entries(document.components.headers)) check(name, header);
    walk(document, ({ properties = {} }, path) => {
      for (const [name, field] of Object.entries(properties)) check(`${path}/${name}`, field);
    });
    expect(missing).toEqual([]);
  });

  it('has a field for each description of the glossary', () => {
    const used = new Set<string>();
    walk(document, ({ properties = {} }) => {
      for (const [name, { description }] of Object.entries(properties)) if (description === fieldDescriptions[name]) used.add(name);
    });
    expect(Object.keys(fieldDescriptions).filter((name) => !used.has(name))).toEqual([]);
  });

  it('has bounds of integers that say something, and a type beside each constant', () => {
    const wrong: string[] = [];
    walk(document, ({ type, minimum = 0, maximum = 0, ...schema }, path) => {
      if (type === 'integer' && (minimum < 0 || maximum > 2 ** 50)) wrong.push(path);
      if ('const' in schema && typeof schema.const !== type) wrong.push(path);
    });
    expect(wrong).toEqual([]);
    expect(document.components.schemas.Error?.properties?.success).toMatchObject({ type: 'boolean', const: false });
    expect(operationOf('tags.list').responses[200]?.content?.['application/json']?.schema.properties?.success).toEqual({
      type: 'boolean',
      const: true,
      description: 'whether the request succeeded',
    });
  });

  it('declares the envelope only where it is answered', () => {
    const schema = operationOf('openapi.get').responses[200]?.content?.['application/json']?.schema;
    expect(Object.keys(schema?.properties ?? {})).toEqual(['openapi', 'paths']);
  });

  it('declares the errors of sub-accounts and bodies, and the headers of rate limits', () => {
    for (const spec of endpoints) {
      const { responses } = operationOf(spec.name);
      const statuses = Object.keys(responses).map(Number);
      if (subAccountPlace(spec)) expect(statuses, spec.name).toContain(404);
      const hasBody = spec.method === 'POST' || spec.method === 'PUT' || spec.method === 'PATCH' || 'body' in spec;
      expect([spec.name, statuses.includes(408), statuses.includes(413)]).toEqual([spec.name, hasBody, hasBody]);
      expect([spec.name, statuses.includes(429), statuses.includes(503)]).toEqual([spec.name, true, true]);
      const success = responses[String(statuses.find((status) => status < 300))];
      if (success && spec.access !== 'public')
        expect(Object.keys(success.headers ?? {}), spec.name).toEqual(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']);
    }
    const headersOf = (status: number) => Object.keys(document.components.responses[`Error${status}`]?.headers ?? {});
    expect(headersOf(404)).toEqual(['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']);
    expect(headersOf(429)).toEqual([...headersOf(404), 'Retry-After']);
    expect(headersOf(401)).toEqual([]);
  });

  it('declares instants of requests as they are taken: a date, or a date and time', () => {
    const times = operationOf('appointments.slots').parameters.filter(({ name }) => name.endsWith('_time'));
    expect(times.map(({ name, schema }) => [name, schema])).toEqual(
      ['start_time', 'end_time'].map((name) => [name, { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] }]),
    );
    expect(JSON.stringify(document)).not.toContain('acceptsDate');
  });

  it('names the records of answers, at least 60 of them', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeGreaterThan(60);
    for (const name of [
      'Agent',
      'Appointment',
      'Broadcast',
      'Contact',
      'Faq',
      'Message',
      'SubAccount',
      'Tag',
      'Task',
      'Template',
      'Webhook',
    ])
      expect(names).toContain(name);
    const fieldOf = (operation: string, field: string) =>
      operationOf(operation).responses[200]?.content?.['application/json']?.schema.properties?.[field];
    expect(fieldOf('contacts.get', 'contact')?.$ref).toBe('#/components/schemas/Contact');
    expect(fieldOf('contacts.list', 'contacts')).toMatchObject({ items: { $ref: '#/components/schemas/Contact' } });
    const references: string[] = [];
    walk(document, ({ $ref }) => void ($ref?.startsWith('#/components/schemas/') && references.push($ref.split('/').at(-1) ?? '')));
    expect(references.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !references.includes(name))).toEqual([]);
  });

  // What a receiver gets is in `webhooks`.
  it('has an example of each body and answer in JSON, which is one', () => {
    let [bodies, answers] = [0, 0];
    for (const spec of endpoints as readonly Endpoint[]) {
      const { requestBody, responses } = operationOf(spec.name) as unknown as {
        requestBody?: { content: Content };
        responses: Record<string, { content?: Content }>;
      };
      const body = requestBody?.content['application/json'];
      if (body && spec.body) {
        bodies++;
        expect([spec.name, schemaOf(spec.body).safeParse(body.example).error]).toEqual([spec.name, undefined]);
      }
      const answer = responses[successStatus(spec)]?.content?.['application/json'];
      if (!answer) continue;
      answers++;
      expect([spec.name, answerSchema(spec).safeParse(answer.example).error]).toEqual([spec.name, undefined]);
    }
    expect([bodies, answers]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(Math.min(bodies, answers)).toBeGreaterThan(80);
  });

  it('has the delivery of each event, with its headers and an example', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventNames);
    for (const event of eventNames) {
      const { post } = document.webhooks[event] as { post: { parameters: { name: string }[]; requestBody: { content: Content } } };
      expect(post.parameters.map(({ name }) => name)).toEqual([
        'X-Webhook-Delivery',
        'X-Webhook-Attempt',
        'X-Webhook-Event',
        'X-Webhook-Timestamp',
        'X-Webhook-Signature',
      ]);
      const { example } = post.requestBody.content['application/json'] as { example: unknown };
      expect([event, payloadSchema(event).safeParse(example).error]).toEqual([event, undefined]);
      // What the service sends of it.
      const sent = payloadSchema(event).shape.data.safeParse(sampleData(event, 0));
      expect([event, sent.error]).toEqual([event, undefined]);
    }
    const created = document.webhooks['Contact Created'];
    expect(JSON.stringify(created)).toContain('"contact":{"$ref":"#/components/schemas/Contact"');
  });

  it('gives types of parameters names that stay apart in camel case', () => {
    const dashboard = operationOf('analytics.dashboard').parameters;
    expect(dashboard.filter(({ deprecated }) => deprecated).map(({ name, schema }) => [name, schema.$ref])).toEqual(
      ['campaignId', 'agentId', 'tagIds', 'tagMatch'].map((name) => [
        name,
        `#/components/schemas/Deprecated${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      ]),
    );
    const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    for (const { operationId, parameters } of operations) {
      const named = parameters.filter(({ schema }) => schema.$ref === undefined).map(({ name }) => camelCase(name));
      expect(named, operationId).toEqual([...new Set(named)]);
    }
  });
});
