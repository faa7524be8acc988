import { answerSchema, apiRoot, type Endpoint, isUpdate, pathParameters, schemaOf, subAccountPlace, successStatus } from './endpoint.ts';
import { errorEnvelope, namedErrors } from './errors.ts';
import { jsonSchema } from './json-schema.ts';

const version = '1.0.0';

const errorTexts: Record<number, string> = {
  400: 'Missing or invalid parameter',
  401: 'Missing or invalid key',
  402: 'Not enough credits',
  403: 'Not allowed',
  404: 'Not found on this account',
  405: 'Method not allowed',
  409: 'Conflict or already exists',
  410: 'Expired',
  413: 'Body too large',
  422: 'Refused for this contact',
  429: 'Rate limit exceeded',
  500: 'Server error',
  503: 'Unavailable',
};

const subAccountDescription = 'The sub-account to act on (default: the own account)';

function requestBody(spec: Endpoint): object | undefined {
  if (spec.rawBodyBytes !== undefined)
    return { required: true, content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } };
  const inBody = subAccountPlace(spec) === 'body';
  if (!spec.body && !inBody) return undefined;
  const schema = spec.body ? jsonSchema(schemaOf(spec.body), 'input', !isUpdate(spec)) : { type: 'object' };
  const properties = { ...(schema.properties as object | undefined) };
  if (inBody) Object.assign(properties, { sub_account_id: { type: 'string', description: subAccountDescription } });
  return {
    required: Array.isArray(schema.required) && schema.required.length > 0,
    content: { 'application/json': { schema: { ...schema, properties } } },
  };
}

function parameters(spec: Endpoint): object[] {
  const inPath = pathParameters(spec.path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  // Describes query parameters by their parsed types, such as numbers.
  const query = spec.query ? jsonSchema(schemaOf(spec.query), 'output') : { properties: {} };
  const required = (query.required ?? []) as string[];
  const inQuery = Object.entries(query.properties as Record<string, object>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  const subAccount =
    subAccountPlace(spec) === 'query'
      ? [{ name: 'sub_account_id', in: 'query', description: subAccountDescription, schema: { type: 'string' } }]
      : [];
  return [...inPath, ...inQuery, ...subAccount];
}

function responses(spec: Endpoint): Record<string, object> {
  const answer = jsonSchema(answerSchema(spec), 'input');
  const success = {
    ...answer,
    properties: { success: { const: true }, ...(answer.properties as object) },
    required: [...new Set(['success', ...((answer.required as string[] | undefined) ?? [])])],
  };
  const always = spec.access === 'public' ? [500] : [400, 401, 403, 429, 500];
  const particular = (spec.errors ?? []).map((error) => (typeof error === 'number' ? error : namedErrors[error]));
  const failures = [...new Set([...always, ...particular])].sort((a, b) => a - b);
  const content = { description: 'Success', content: { 'application/json': { schema: success } } };
  return {
    [successStatus(spec)]:
      successStatus(spec) === 302
        ? { description: 'Redirect', headers: { Location: { schema: { type: 'string', format: 'uri' } } } }
        : content,
    ...(spec.alsoAnswers && { [spec.alsoAnswers.status]: content }),
    ...Object.fromEntries(
      failures.map((status) => [
        status,
        {
          description: errorTexts[status] ?? 'Error',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
    ),
  };
}

const keyCredentials = [{ keyInHeader: [] }, { bearer: [] }, { keyInQuery: [] }, { basic: [] }];

function operation(spec: Endpoint): object {
  const body = requestBody(spec);
  return {
    operationId: spec.name,
    summary: spec.summary,
    tags: [spec.section],
    ...(spec.permission ? { description: `A team member needs the permission ${spec.permission}.` } : {}),
    security: spec.access === 'public' ? [] : spec.access === 'person' ? [{ bearer: [] }] : keyCredentials,
    parameters: parameters(spec),
    ...(body ? { requestBody: body } : {}),
    responses: responses(spec),
  };
}

/**
 * Builds the OpenAPI 3.1 document.
 * @param specs the endpoints, in the order of the document
 */
export function openApiDocument(specs: readonly Endpoint[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const spec of specs) (paths[spec.path] ??= {})[spec.method.toLowerCase()] = operation(spec);
  return {
    openapi: '3.1.0',
    info: { title: 'Messaging Automation Service', version, summary: 'Customer messaging with AI agents on many channels' },
    servers: [{ url: apiRoot }],
    paths,
    components: {
      schemas: { Error: jsonSchema(errorEnvelope(), 'input') },
      securitySchemes: {
        keyInHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        keyInQuery: { type: 'apiKey', in: 'query', name: 'apiKey' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or the ID token of a team member' },
        basic: { type: 'http', scheme: 'basic', description: 'The API key as the user name, with an empty password' },
      },
    },
    tags: [...new Set(specs.map((spec) => spec.section))].map((name) => ({ name })),
  };
}
