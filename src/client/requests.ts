import { type Endpoint, type Method, subAccountPlace } from '../contract/endpoint.ts';
import { queryString } from './request-path.ts';
import type { TransportRequest } from './transport.ts';

/** How messages identify a request. */
export interface RequestLine {
  readonly method: Method;
  readonly path: string;
}

/** A call by method and path. */
export interface RawCall {
  readonly method: Method;
  /** From the root of the server, without a query string: `/v1/tags`. */
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown>;
  /** Further headers, by their names in lower case. They cannot replace the credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The endpoint of the contract; undefined for a call that is not in the contract. */
  readonly endpoint: Endpoint | undefined;
}

/** Who makes a call. */
export interface Requester {
  /** The API key, or the sandbox token for calls of the sandbox. */
  readonly key: string;
  /** The sub-account that calls act on, for endpoints that accept one. */
  readonly subAccountId?: string | undefined;
  readonly userAgent: string;
}

/** The request of a call. @param bytes the body of an endpoint that takes bytes */
export function requestOf(call: RawCall, { key, subAccountId, userAgent }: Requester, bytes?: Uint8Array): TransportRequest {
  const place = subAccountId === undefined ? null : call.endpoint ? subAccountPlace(call.endpoint) : usualSubAccountPlace(call.method);
  const query = { ...call.query, ...(place === 'query' && { sub_account_id: subAccountId }) };
  const body = { ...call.body, ...(place === 'body' && { sub_account_id: subAccountId }) };
  const hasBody = call.method !== 'GET' && Object.keys(body).length > 0;
  return {
    method: call.method,
    path: call.path + queryString(query),
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(bytes && { 'content-type': 'application/octet-stream' }),
      ...call.headers,
      authorization: `Bearer ${key}`,
    },
    body: bytes ?? (hasBody ? JSON.stringify(body) : undefined),
    answerLimits: call.endpoint?.answerLimits,
  };
}

/** Where a call that is not in the contract sends `sub_account_id`. */
function usualSubAccountPlace(method: Method): 'query' | 'body' {
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
}
