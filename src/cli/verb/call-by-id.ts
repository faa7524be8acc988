import type { Client } from '../../client/client.ts';
import type { CallInput } from '../../contract/call.ts';
import { type Endpoint, pathParameters } from '../../contract/endpoint.ts';
import type { ResultRow } from '../output/result.ts';

/** The parameter with the id in the path of an endpoint that acts on one record. */
export function idParameter({ path }: Endpoint): string {
  return pathParameters(path)[0] ?? 'id';
}

/** Calls an endpoint that acts on one record. @throws like `client.call` */
export async function callById(
  client: Client,
  endpoint: Endpoint,
  id: string,
  more: { query?: ResultRow; body?: ResultRow } = {},
): Promise<ResultRow> {
  const input = { params: { [idParameter(endpoint)]: id }, ...more };
  return await client.call(endpoint, input as unknown as CallInput<Endpoint>);
}
