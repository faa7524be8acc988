import { TrieRouter } from 'hono/router/trie-router';
import { apiRoot, type Endpoint, fullPath, isSandboxPath, sandboxRoot } from '../../contract/endpoint.ts';
import { allEndpoints } from '../../contract/endpoints.ts';
import { requestIdHeader } from '../../contract/request-id.ts';
import { ApiError } from '../errors.ts';
import { AnonymousLimit } from './anonymous-limit.ts';
import { errorAnswer } from './answers.ts';
import { Api } from './api.ts';
import type { Handling } from './handling.ts';
import { bySpecificity, decodeAll, methodNotAllowed } from './paths.ts';
import { acceptsPage, errorAsPage, type PublicRoute, PublicRoutes } from './public-routes.ts';
import type { ApiRequest, ApiResponse, Fetch } from './request.ts';
import { SandboxApi } from './sandbox-api.ts';
import type { EndpointGroup, EndpointGroupOptions, RoutedRequest } from './endpoint-group.ts';

interface Route {
  readonly operation: string;
  readonly answer: (routed: RoutedRequest) => Promise<ApiResponse>;
}

/** The response to a request, and the name of its endpoint: `page` for one that a person opens. */
interface Answered {
  readonly operation: string;
  readonly response: ApiResponse;
}

/** An endpoint at one of its paths, in the router's syntax. */
interface Located {
  readonly path: string;
  readonly spec: Endpoint;
}

/** Creates the function that answers requests. It finds the endpoint of a request and passes the request to its group. */
export function createRouter(options: EndpointGroupOptions, handling: Handling, publicRoutes: readonly PublicRoute[]): Fetch {
  const anonymous = new AnonymousLimit(options.service.realNow);
  const api = new Api(options, handling, anonymous);
  const sandbox = new SandboxApi(options, anonymous);
  const pages = new PublicRoutes(options, publicRoutes, anonymous);
  const routers = new Map<string, TrieRouter<Route>>();
  // Routes are added on first use. Adding those of all endpoints takes longer than answering a request, and a command makes few
  // requests, on one kind of record.
  const routerAt = (start: string): TrieRouter<Route> | undefined => {
    const endpoints = locateEndpoints().get(start);
    const router = routers.get(start) ?? (endpoints && createRouterOf(endpoints, isSandboxPath(start) ? sandbox : api));
    if (router) routers.set(start, router);
    return router;
  };
  const answer = async (request: ApiRequest): Promise<Answered> => {
    // Ensures that this request sees everything that other processes acknowledged before it was sent.
    options.service.store.refresh(request.poll);
    const { path } = request;
    const start = startOf(path);
    const router = routerAt(start) ?? routerAt(start.slice(0, start.lastIndexOf('/')));
    // A HEAD request is handled like a GET; the transport omits the body.
    const [route, params] = router?.match(request.method === 'HEAD' ? 'GET' : request.method, path)[0][0] ?? [];
    if (route)
      return {
        operation: route.operation,
        response: await route.answer({ request, params: decodeAll(params as Record<string, string>) }),
      };
    const page = pages.answer(request);
    return page ? { operation: 'page', response: await page } : { operation: 'unknown', response: await refuse(request) };
  };
  const refuse = async (request: ApiRequest): Promise<ApiResponse> => {
    if (`${request.path}/`.startsWith(`${apiRoot}/`)) return await api.refuse(request, undefined, unknownPath());
    if (`${request.path}/`.startsWith(`${sandboxRoot}/`)) return await sandbox.refuse(request, undefined, unknownPath());
    return errorAnswer(unknownPath());
  };
  const { onAnswered } = options;
  return async (request) => {
    const started = onAnswered && performance.now();
    const { operation, response: answered } = await answer(request);
    const response = answered.status >= 400 && isForBrowser(request) ? errorAsPage(answered) : answered;
    response.headers[requestIdHeader] = request.id;
    if (started !== undefined) onAnswered?.(operation, response.status, (performance.now() - started) / 1_000);
    return response;
  };
}

/** Whether a browser opened an address outside of the interface, such as that of media. */
function isForBrowser(request: ApiRequest): boolean {
  const isOfInterface = [apiRoot, sandboxRoot].some((root) => `${request.path}/`.startsWith(`${root}/`));
  return !isOfInterface && acceptsPage(request);
}

/** The endpoints at their paths, by how these start. Made for the first request, and the same for every service. */
let located: ReadonlyMap<string, readonly Located[]> | undefined;

function locateEndpoints(): ReadonlyMap<string, readonly Located[]> {
  return (located ??= Map.groupBy(
    allEndpoints.flatMap((spec) => pathsOf(spec).map((path) => ({ path, spec }))),
    ({ path }) => startOf(path),
  ));
}

function createRouterOf(endpoints: readonly Located[], group: EndpointGroup): TrieRouter<Route> {
  const router = new TrieRouter<Route>();
  for (const { path, spec } of bySpecificity(endpoints))
    router.add(spec.method, path, { operation: spec.name, answer: (routed) => group.answer(routed, spec) });
  for (const [path, same] of Map.groupBy(endpoints, (each) => each.path)) {
    const methods = same.map(({ spec }) => spec.method);
    const refuse: Route['answer'] = ({ request }) => group.refuse(request, same[0]?.spec, methodNotAllowed(request.method, methods));
    router.add('ALL', path, { operation: 'unknown', answer: refuse });
  }
  return router;
}

/** The first two segments of a path without parameters: `/v1/tags`, or `/l` for `/l/:slug`. */
function startOf(path: string): string {
  return /^\/[^/]*(\/[^/:]+)?/.exec(path)?.[0] ?? '';
}

/** The paths of an endpoint from the server's root, in the router's syntax. */
function pathsOf(spec: Endpoint): string[] {
  const paths = spec.alsoAtRoot ? [fullPath(spec), spec.path] : [fullPath(spec)];
  return paths.map((path) => path.replace(/\{(\w+)\}/g, ':$1'));
}

function unknownPath(): ApiError {
  return new ApiError(404, 'There is no such path; GET /v1/openapi.json lists the paths');
}
