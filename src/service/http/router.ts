import { TrieRouter } from 'hono/router/trie-router';
import { apiRoot, type Endpoint, fullPath, isSandboxPath, sandboxRoot } from '../../contract/endpoint.ts';
import { allEndpoints } from '../../contract/endpoints.ts';
import { ApiError } from '../errors.ts';
import { AnonymousLimit } from './anonymous-limit.ts';
import { errorAnswer } from './answers.ts';
import { Api } from './api.ts';
import type { Handling } from './handling.ts';
import { bySpecificity, decodeAll, methodNotAllowed } from './paths.ts';
import { type PublicRoute, PublicRoutes } from './public-routes.ts';
import type { ApiResponse, Fetch } from './request.ts';
import { SandboxApi } from './sandbox-api.ts';
import type { EndpointGroup, EndpointGroupOptions, RoutedRequest } from './endpoint-group.ts';

type Route = (routed: RoutedRequest) => Promise<ApiResponse>;

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
  return async (request) => {
    // Ensures that this request sees everything that other processes acknowledged before it was sent.
    options.service.store.refresh(request.poll);
    const { path } = request;
    const start = startOf(path);
    const router = routerAt(start) ?? routerAt(start.slice(0, start.lastIndexOf('/')));
    // A HEAD request is handled like a GET; the transport omits the body.
    const [route, params] = router?.match(request.method === 'HEAD' ? 'GET' : request.method, path)[0][0] ?? [];
    if (route) return await route({ request, params: decodeAll(params as Record<string, string>) });
    const page = pages.answer(request);
    if (page) return await page;
    if (`${path}/`.startsWith(`${apiRoot}/`)) return await api.refuse(request, undefined, unknownPath());
    if (`${path}/`.startsWith(`${sandboxRoot}/`)) return await sandbox.refuse(request, undefined, unknownPath());
    return errorAnswer(unknownPath());
  };
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
  for (const { path, spec } of bySpecificity(endpoints)) router.add(spec.method, path, (routed) => group.answer(routed, spec));
  for (const [path, same] of Map.groupBy(endpoints, (each) => each.path)) {
    const methods = same.map(({ spec }) => spec.method);
    router.add('ALL', path, ({ request }) => group.refuse(request, same[0]?.spec, methodNotAllowed(request.method, methods)));
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
