import { TrieRouter } from 'hono/router/trie-router';
import { apiRoot, type Endpoint, fullPath, isSandboxPath, sandboxRoot } from '../../contract/endpoint.ts';
import { allEndpoints } from '../../contract/endpoints.ts';
import { ApiError } from '../errors.ts';
import { AnonymousLimit } from './anonymous-limit.ts';
import { errorAnswer } from './answers.ts';
import { Api } from './api.ts';
import type { ApiRequest, ApiResponse, Fetch } from './request.ts';
import { SandboxApi } from './sandbox-api.ts';
import type { RoutedRequest, Surface, SurfaceOptions } from './surface.ts';

type Route = (routed: RoutedRequest) => Promise<ApiResponse>;

/** A path with its endpoints. */
interface Place {
  readonly surface: Surface;
  readonly specs: Endpoint[];
}

/** Creates the function that answers requests. It finds the endpoint of a request and passes the request to its surface. */
export function createRouter(options: SurfaceOptions): Fetch {
  const anonymous = new AnonymousLimit(options.service.realNow);
  const api = new Api(options, anonymous);
  const sandbox = new SandboxApi(options, anonymous);
  const router = new TrieRouter<Route>();
  const places = new Map<string, Place>();
  for (const spec of bySpecificity(allEndpoints)) {
    const surface = isSandboxPath(spec.path) ? sandbox : api;
    for (const path of pathsOf(spec)) {
      router.add(spec.method, path, (routed) => surface.answer(routed, spec));
      const place = places.get(path) ?? { surface, specs: [] };
      place.specs.push(spec);
      places.set(path, place);
    }
  }
  // Requests without an endpoint: an unknown method on a known path, or an unknown path.
  for (const [path, { surface, specs }] of places)
    router.add('ALL', path, ({ request }) => surface.refuse(request, specs[0], methodNotAllowed(request, specs)));
  router.add('ALL', `${apiRoot}/*`, ({ request }) => api.refuse(request, undefined, unknownPath()));
  router.add('ALL', `${sandboxRoot}/*`, ({ request }) => sandbox.refuse(request, undefined, unknownPath()));
  return async (request) => {
    // What another process acknowledged before this request was sent is in effect.
    options.service.store.refresh();
    // A HEAD is answered like a GET; the transport omits the body.
    const [found] = router.match(request.method === 'HEAD' ? 'GET' : request.method, request.path);
    const [route, params] = found[0] ?? [];
    return route ? await route({ request, params: decodeAll(params as Record<string, string>) }) : errorAnswer(unknownPath());
  };
}

/** Literal segments take precedence over parameters: `/api-keys/current` is not the key with the id `current`. */
function bySpecificity(specs: readonly Endpoint[]): Endpoint[] {
  return specs.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
}

/** The paths of an endpoint from the server's root, in the router's syntax. */
function pathsOf(spec: Endpoint): string[] {
  const paths = spec.alsoAtRoot ? [fullPath(spec), spec.path] : [fullPath(spec)];
  return paths.map((path) => path.replace(/\{(\w+)\}/g, ':$1'));
}

function decodeAll(params: Record<string, string>): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const name in params) decoded[name] = decode(params[name] ?? '');
  return decoded;
}

function decode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function unknownPath(): ApiError {
  return new ApiError(404, 'There is no such path; GET /v1/openapi.json lists the paths');
}

function methodNotAllowed({ method }: ApiRequest, specs: readonly Endpoint[]): ApiError {
  const allowed = specs.map((spec) => spec.method).join(', ');
  return new ApiError(405, `${method} is not allowed on this path; allowed: ${allowed}`, {}, { allow: allowed });
}
