import type { Endpoint } from '../../contract/endpoint.ts';
import type { PublicHandler } from './handler.ts';
import { checkParams, readQuery } from './input.ts';
import { type EndpointGroupOptions, handlerOf, type RoutedRequest } from './endpoint-group.ts';

/** Calls the handler of a public endpoint. */
export async function callPublic(
  { service, handlers }: Pick<EndpointGroupOptions, 'service' | 'handlers'>,
  { request, params }: RoutedRequest,
  spec: Endpoint,
): ReturnType<PublicHandler<Endpoint>> {
  const handler = handlerOf<PublicHandler<Endpoint>>(handlers, spec);
  return await handler({ service, params: checkParams(params), query: readQuery(request, spec), method: request.method });
}
