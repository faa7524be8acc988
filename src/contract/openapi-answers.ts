import { answerSchema, type Endpoint, subAccountPlace, successStatus } from './endpoint.ts';
import { namedErrors } from './errors.ts';
import { jsonSchema } from './json-schema.ts';
import { exampleOf } from './example.ts';

const errorTexts: Record<number, string> = {
  400: 'Missing or invalid parameter',
  401: 'Missing or invalid key',
  402: 'Not enough credits',
  403: 'Not allowed',
  404: 'Not found on this account',
  405: 'Method not allowed',
  408: 'The request took too long to arrive',
  409: 'Conflict or already exists',
  410: 'Expired',
  413: 'Body too large',
  422: 'Refused for this contact, or the idempotency key was sent with another request',
  429: 'Rate limit exceeded',
  500: 'Server error',
  503: 'Unavailable',
  504: 'The answer took too long',
};

const wholeNumber = { type: 'integer', minimum: 0 };

/** The headers that answers have, under `components`. */
export const headerComponents = {
  'RateLimit-Limit': { description: 'how many requests the window allows', schema: wholeNumber },
  'RateLimit-Remaining': { description: 'how many requests are left in the window', schema: wholeNumber },
  'RateLimit-Reset': { description: 'the seconds until the window ends', schema: wholeNumber },
  'Retry-After': { description: 'the seconds to wait before the next attempt', schema: wholeNumber },
};

type HeaderName = keyof typeof headerComponents;

function headers(...names: HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** An answer counts against a rate limit once its credential is known. */
const rateLimit = headers('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset');

/** The errors that come before a credential is known, or without one. */
const uncounted = new Set([401, 408]);

/** The answers with an error, under `components`. Their names are those of the statuses. */
export function errorComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(errorTexts).map(([status, description]) => [
      `Error${status}`,
      {
        description,
        headers: {
          ...(!uncounted.has(Number(status)) && rateLimit),
          ...(status === '429' || status === '503' ? headers('Retry-After') : {}),
        },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** The answers of an endpoint, by status. */
export function responses(spec: Endpoint): Record<string, object> {
  const success = successAnswer(spec);
  return {
    [successStatus(spec)]: success,
    ...(spec.alsoAnswers && { [spec.alsoAnswers.status]: success }),
    ...Object.fromEntries(errorsOf(spec).map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
  };
}

function successAnswer(spec: Endpoint): object {
  if (successStatus(spec) === 302)
    return {
      description: 'Redirect',
      headers: { Location: { description: 'the address to go to', schema: { type: 'string', format: 'uri' } } },
    };
  if (spec.isStream)
    return { description: 'Events, as they happen', headers: rateLimit, content: { 'text/event-stream': { schema: { type: 'string' } } } };
  if (spec.isFile)
    return {
      description: 'The file',
      headers: rateLimit,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  const answer = jsonSchema(answerSchema(spec), 'input');
  // A public document has a format of its own, without the envelope.
  const isDocument = spec.access === 'public';
  const schema = isDocument
    ? answer
    : {
        ...answer,
        properties: { success: { type: 'boolean', const: true }, ...(answer.properties as object) },
        required: [...new Set(['success', ...((answer.required as string[] | undefined) ?? [])])],
      };
  const rateHeaders = isDocument || spec.access === 'sandbox' ? {} : { headers: rateLimit };
  return { description: 'Success', ...rateHeaders, content: { 'application/json': { schema, example: exampleOf(schema) } } };
}

/** The statuses of errors that an endpoint can answer, in their order. */
function errorsOf(spec: Endpoint): number[] {
  const always = spec.access === 'public' ? [429, 500, 503] : [400, 401, 403, 429, 500, 503];
  const ofBody = takesBody(spec) ? [408, 413] : [];
  const ofSubAccount = subAccountPlace(spec) === null ? [] : [404];
  const particular = (spec.errors ?? []).map((error) => (typeof error === 'number' ? error : namedErrors[error]));
  return [...new Set([...always, ...ofBody, ...ofSubAccount, ...particular])].sort((a, b) => a - b);
}

/** Whether an endpoint reads a body, which can arrive too slowly or be too large. */
function takesBody(spec: Endpoint): boolean {
  return spec.method !== 'GET' && (spec.method !== 'DELETE' || spec.body !== undefined);
}
