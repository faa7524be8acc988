import { apiRoot, type Endpoint, isUpdate, pathParameters, schemaOf, subAccountPlace, successStatus } from './endpoint.ts';
import { errorEnvelope } from './errors.ts';
import { jsonSchema } from './json-schema.ts';
import { errorComponents, headerComponents, responses } from './openapi-answers.ts';
import { Components, type Json, pascalCase } from './openapi-components.ts';
import { exampleOf } from './example.ts';
import { exampleRequest } from './openapi-examples.ts';
import { describePathParameter, fieldDescriptions } from './openapi-glossary.ts';
import { features } from './plan.ts';
import { type EventName, eventNames } from './areas/webhooks/event-names.ts';
import { deliveryHeaderTexts, payloadSchema, signatureHeaderTexts } from './areas/webhooks/payloads.ts';

const version = '1.0.0';

const subAccount = { type: 'string', description: 'The sub-account to act on (default: the own account)' };

function requestBody(spec: Endpoint): object | undefined {
  if (spec.rawBodyBytes !== undefined)
    return { required: true, content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } };
  const inBody = subAccountPlace(spec) === 'body';
  if (!spec.body && !inBody) return undefined;
  const schema = spec.body ? jsonSchema(schemaOf(spec.body), 'input', !isUpdate(spec)) : { type: 'object' };
  const properties = { ...(schema.properties as object | undefined), ...(inBody && { sub_account_id: subAccount }) };
  return {
    required: Array.isArray(schema.required) && schema.required.length > 0,
    content: { 'application/json': { schema: { ...schema, properties }, example: exampleRequest(spec, schema) } },
  };
}

function parameters(spec: Endpoint, schemas: Schemas): object[] {
  const inPath = pathParameters(spec.path).map((name) => ({
    name,
    in: 'path',
    description: describePathParameter(spec.path, name),
    required: true,
    schema: { type: 'string' },
  }));
  // Describes query parameters by their parsed types, such as numbers.
  const query = spec.query ? jsonSchema(schemaOf(spec.query), 'output') : { properties: {} };
  const required = (query.required ?? []) as string[];
  const ofQuery: Readonly<Record<string, Parameter>> = {
    ...(query.properties as Record<string, Parameter>),
    ...(subAccountPlace(spec) === 'query' && { sub_account_id: subAccount }),
  };
  const inQuery = Object.entries(ofQuery).map(([name, { description, deprecated, ...schema }]) => ({
    name,
    in: 'query',
    description,
    ...(deprecated && { deprecated }),
    required: required.includes(name),
    schema: deprecated ? named(deprecatedName(name), schema, schemas) : schema,
  }));
  return [...inPath, ...inQuery];
}

/** Schemas of the document by name, under `components`. */
type Schemas = Record<string, object>;

function named(name: string, schema: object, schemas: Schemas): object {
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * The name of the type of a second spelling, such as `tagMatch` beside `tag_match`. Generators make the name of a type from that
 * of the parameter, and both spellings would have the same.
 */
function deprecatedName(parameter: string): string {
  return `Deprecated${parameter.charAt(0).toUpperCase()}${parameter.slice(1)}`;
}

type Parameter = Readonly<Record<string, unknown>> & { readonly description?: string; readonly deprecated?: boolean };

const keyCredentials = [{ keyInHeader: [] }, { bearer: [] }, { keyInQuery: [] }, { basic: [] }];

function operation(spec: Endpoint, schemas: Schemas) {
  const body = requestBody(spec);
  return {
    operationId: spec.name,
    summary: spec.summary,
    tags: [spec.section],
    description: [whoMayCall(spec), ...whatIsNeeded(spec)].join(' '),
    security: spec.access === 'public' ? [] : spec.access === 'person' ? [{ bearer: [] }] : keyCredentials,
    parameters: parameters(spec, schemas),
    ...(body ? { requestBody: body } : {}),
    responses: responses(spec),
  };
}

function whoMayCall({ access, section }: Endpoint): string {
  switch (access) {
    case 'public':
      return 'Needs no credential.';
    case 'any':
      return 'Any valid credential may call it.';
    case 'account':
      return `A scoped key needs the section ${section}.`;
    case 'owner':
      return 'Needs the main key, or the ID token of an owner.';
    case 'person':
      return 'Needs the ID token of a team member.';
    case 'agency':
      return 'Only for agencies, with the main key or an ID token.';
    case 'sandbox':
      return 'Needs the sandbox token.';
  }
}

function whatIsNeeded({ permission, feature, isForOwners }: Endpoint): string[] {
  return [
    ...(isForOwners ? ['Needs the main key, or the ID token of an owner.'] : []),
    ...(permission ? [`A team member needs the permission ${permission}.`] : []),
    ...(feature ? [`Without it in the plan, the answer is 403: ${features[feature]}.`] : []),
  ];
}

/** The delivery of an event, as a receiver gets it. */
function delivery(event: EventName): object {
  const schema = jsonSchema(payloadSchema(event), 'input');
  const headers = [...Object.entries(deliveryHeaderTexts), ...Object.entries(signatureHeaderTexts)].map(([name, description]) => ({
    name,
    in: 'header',
    description,
    required: name in deliveryHeaderTexts,
    schema: { type: 'string' },
  }));
  return {
    operationId: `on${pascalCase(event.replaceAll(' ', '_'))}`,
    summary: event,
    description: 'The service delivers it to the address of a webhook. Every answer of 2xx within 10 seconds means that it was received.',
    tags: ['Webhooks'],
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(schema) } } },
    responses: { '2XX': { description: 'Received' }, default: { description: 'Not received: 5xx is repeated if the webhook has retries' } },
  };
}

/** Describes the fields that have no description of their own, in all schemas of a part of the document. */
function describeFields(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const { properties = {} } = part as { properties?: Record<string, { description?: string }> };
  for (const [name, field] of Object.entries(properties)) {
    const description = fieldDescriptions[name];
    if (description !== undefined) field.description ??= description;
  }
  for (const inner of Object.values(part)) describeFields(inner);
}

/**
 * Builds the OpenAPI 3.1 document.
 * @param specs the endpoints, in the order of the document
 */
export function openApiDocument(specs: readonly Endpoint[]) {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: Schemas = { Error: jsonSchema(errorEnvelope(), 'input') };
  const components = new Components(schemas as Record<string, Json>);
  for (const spec of specs) {
    const made = operation(spec, schemas);
    (paths[spec.path] ??= {})[spec.method.toLowerCase()] = made;
    const { content } = made.responses[successStatus(spec)] as { content?: Readonly<Record<string, { schema: object }>> };
    components.note(spec.name, content?.['application/json']?.schema ?? {});
  }
  const webhooks = Object.fromEntries(eventNames.map((event) => [event, { post: delivery(event) }]));
  components.replaceIn(paths, webhooks);
  const document = {
    openapi: '3.1.0',
    info: { title: 'Messaging Automation Service', version, summary: 'Customer messaging with AI agents on many channels' },
    servers: [{ url: apiRoot }],
    paths,
    webhooks,
    components: {
      schemas,
      headers: headerComponents,
      responses: errorComponents(),
      securitySchemes: {
        keyInHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        keyInQuery: { type: 'apiKey', in: 'query', name: 'apiKey' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or the ID token of a team member' },
        basic: { type: 'http', scheme: 'basic', description: 'The API key as the user name, with an empty password' },
      },
    },
    tags: [...new Set(specs.map((spec) => spec.section))].map((name) => ({ name })),
  };
  describeFields(document);
  return document;
}
