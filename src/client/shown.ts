import { answerSchema, type Endpoint, schemaOf } from '../contract/endpoint.ts';
import { parseJson } from '../contract/json.ts';
import { limits } from '../contract/limits.ts';
import { mask, redact } from '../contract/secret.ts';
import type { ShownRequest } from './errors.ts';
import type { TransportRequest } from './transport.ts';

// What dry runs and traces show of requests and answers. Secrets are masked. Only the contract identifies them.

const notShown = '(not shown: the interface does not describe it)';

/**
 * A request as a dry run shows it.
 * @param endpoint undefined for a call that is not in the contract
 * @param origin the address of the server, if it has one
 */
export function shownRequest(
  endpoint: Endpoint | undefined,
  { method, path, headers, body }: TransportRequest,
  origin: string | undefined,
): ShownRequest {
  const shown = Object.entries(headers).map(([name, value]) => [name, shownHeader(name, value)] as const);
  return {
    method,
    url: `${origin ?? ''}${path}`,
    headers: Object.fromEntries(shown),
    // The body comes from the caller, so it is shown even when the contract does not describe it.
    body: (endpoint || typeof body !== 'string' ? shownBody(endpoint, body) : parsed(body)) ?? null,
  };
}

/** The value of a header, masked when the header's name suggests a secret. */
function shownHeader(name: string, value: string): string {
  if (name === 'authorization') return `Bearer ${mask}`;
  return /auth|cookie|secret|token|api-?key/.test(name) ? mask : value;
}

/** The body of a request as a trace shows it; undefined when it has none. */
export function shownBody(endpoint: Endpoint | undefined, body: string | Uint8Array | undefined): unknown {
  if (body === undefined) return undefined;
  if (typeof body !== 'string') return `${body.length} bytes`;
  if (!endpoint) return notShown;
  const value = JSON.parse(body) as unknown;
  return endpoint.body ? redact(schemaOf(endpoint.body), value) : value;
}

/** The body of an answer as a trace shows it; undefined when it is not JSON. */
export function shownAnswer(endpoint: Endpoint | undefined, body: string): unknown {
  const answer = parsed(body);
  if (answer === undefined || answer === null) return answer;
  return endpoint ? redact(answerSchema(endpoint), answer) : notShown;
}

/** The JSON of a text; undefined when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text, limits.answerLevels);
  } catch {
    return undefined;
  }
}
