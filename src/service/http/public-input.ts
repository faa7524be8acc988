import { limits } from '../../contract/limits.ts';
import { type ApiRequest, parseJsonObject } from './request.ts';

/** Reads the body of a request to a public route. @throws ApiError 400 unless it is a JSON object, 413 when it is too large */
export async function readJsonBody(request: ApiRequest): Promise<Record<string, unknown>> {
  return parseJsonObject(await request.readBody(limits.bodyBytes));
}
