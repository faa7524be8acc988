import { type Endpoint, schemaOf, subAccountPlace } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { ApiError, invalidField } from '../errors.ts';
import { type ApiRequest, parseJsonObject } from './request.ts';
import { parseWith } from './validation.ts';

/** The input of a request, before validation. */
interface Input {
  readonly body: Record<string, unknown>;
  /** The error of a body that cannot be read. Check 7 throws it; until then, the body counts as empty. */
  readonly bodyError: ApiError | undefined;
  readonly subAccountId: string | undefined;
}

/** The input of a request whose body is bytes. */
export const noInput: Input = { body: {}, bodyError: undefined, subAccountId: undefined };

/** Reads the body of a request, and the id of the sub-account in the request. */
export async function readInput(request: ApiRequest, spec: Endpoint): Promise<Input> {
  let body: Record<string, unknown> = {};
  let bodyError: ApiError | undefined;
  const takesBody = spec.method !== 'GET' && (spec.method !== 'DELETE' || spec.body !== undefined);
  if (takesBody || hasBody(request)) {
    try {
      body = parseJsonObject(await request.readBody(limits.bodyBytes));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      bodyError = error;
    }
  }
  const place = subAccountPlace(spec);
  const named = place === 'query' ? request.query.sub_account_id : place === 'body' ? body.sub_account_id : undefined;
  return { body, bodyError, subAccountId: typeof named === 'string' ? named : undefined };
}

function hasBody({ header }: ApiRequest): boolean {
  return Number(header('content-length') ?? 0) > 0 || header('transfer-encoding') !== undefined;
}

/** Check 7: the shape of the request. @throws ApiError 400 with the first invalid field */
export function checkShape(request: ApiRequest, spec: Endpoint, { body, bodyError }: Input): { query: object; body: object } {
  if (bodyError) throw bodyError;
  if (spec.access !== 'sandbox') checkSubAccountPlace(request.query, body, subAccountPlace(spec));
  for (const name of spec.refusedQuery ?? [])
    if (name in request.query) throw invalidField(name, 'is not accepted by this endpoint; omit it');
  return {
    query: readQuery(request, spec),
    body: spec.body ? parseWith(schemaOf(spec.body), body, 'body') : {},
  };
}

/** Reads the query parameters. @throws ApiError 400 with the first invalid one */
export function readQuery(request: ApiRequest, spec: Endpoint): object {
  return spec.query ? parseWith(schemaOf(spec.query), request.query, 'query') : {};
}

/** @throws ApiError 404 for a path parameter that cannot be an id */
export function checkParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name in params) if (params[name]?.includes('\0')) throw new ApiError(404, 'Not found');
  return params;
}

/** A sub-account in the wrong place would be ignored, and the request would act on the account of the caller. */
function checkSubAccountPlace(query: object, body: Record<string, unknown>, place: 'query' | 'body' | null): void {
  const isIn = { query: 'sub_account_id' in query, body: 'sub_account_id' in body };
  if (place === null && (isIn.query || isIn.body)) throw invalidField('sub_account_id', 'is not accepted by this endpoint');
  if (place === 'query' && isIn.body) throw invalidField('sub_account_id', 'belongs in the query of this endpoint, not in the body');
  if (place === 'body' && isIn.query) throw invalidField('sub_account_id', 'belongs in the body of this endpoint, not in the query');
  if (place === 'body' && isIn.body && typeof body.sub_account_id !== 'string') throw invalidField('sub_account_id', 'must be a string');
}
