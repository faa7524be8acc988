import { TrieRouter } from 'hono/router/trie-router';
import { mask, maskSecrets } from '../../contract/secret.ts';
import { readClock } from '../clock/clock.ts';
import { readState } from '../clock/state.ts';
import { errorPage } from '../../pages/html/error-page.ts';
import { ActiveFaults } from '../drills/active-faults.ts';
import { ApiError, ConnectionDropped } from '../errors.ts';
import type { AnonymousLimit } from './anonymous-limit.ts';
import { errorAnswer, failureOf } from './answers.ts';
import type { EndpointGroupOptions } from './endpoint-group.ts';
import type { Service } from './handler.ts';
import { pageAssets } from './page-assets.ts';
import { checkParams } from './input.ts';
import { bySpecificity, decodeAll, methodNotAllowed } from './paths.ts';
import { pageAnswer } from './page-answers.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

/** A request to a public route. */
export interface PublicRequest {
  readonly service: Service;
  readonly request: ApiRequest;
  readonly params: Readonly<Record<string, string>>;
  /** The service's clock when the request arrived, in epoch milliseconds. */
  readonly now: number;
  /** Whether the client wants a page rather than JSON. */
  readonly wantsPage: boolean;
}

/** Whether the client of a request wants a page rather than JSON. */
export function acceptsPage(request: ApiRequest): boolean {
  return /\btext\/html\b/.test(request.header('accept') ?? '');
}

/** A page, or what it asks for: a route at the root of the server, without a credential of an account. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  /** In the router's syntax. A parameter `token` is a secret. */
  readonly path: `/${string}`;
  readonly answer: (request: PublicRequest) => Promise<ApiResponse>;
}

/** The public routes of the areas, and their errors. */
export class PublicRoutes {
  readonly #options: EndpointGroupOptions;
  readonly #routes: readonly PublicRoute[];
  readonly #faults: ActiveFaults;
  readonly #anonymous: AnonymousLimit;
  /** How paths with a token begin. */
  readonly #beforeTokens: readonly RegExp[];
  #router: TrieRouter<PublicRoute> | undefined;

  constructor(options: EndpointGroupOptions, routes: readonly PublicRoute[], anonymous: AnonymousLimit) {
    this.#options = options;
    this.#anonymous = anonymous;
    this.#routes = routes;
    const begins = routes.flatMap(({ path }) => (path.includes(':token') ? path.split(':token').slice(0, 1) : []));
    this.#beforeTokens = [...new Set(begins)].map((begin) => new RegExp(`^${begin.replaceAll(/:\w+/g, '[^/]+')}`));
    this.#faults = new ActiveFaults(options.service.store);
  }

  /** Answers a request; undefined when no route begins like its path. */
  answer(request: ApiRequest): Promise<ApiResponse> | undefined {
    const start = /^\/[^/]*/.exec(request.path)?.[0];
    return this.#routes.some(({ path }) => path.startsWith(`${start}/`)) ? this.#answer(request) : undefined;
  }

  async #answer(request: ApiRequest): Promise<ApiResponse> {
    const { service, onError, onRequest } = this.#options;
    const started = process.uptime();
    const wantsPage = acceptsPage(request);
    let now = service.realNow();
    const path = this.#masked(request.path);
    let response: ApiResponse;
    try {
      this.#anonymous.count(request.remoteAddress);
      const state = await service.store.read(readState);
      now = readClock(state, service.realNow());
      if (state.faults.length > 0) await this.#faults.apply(state, request.method, request.path);
      const [route, params] = this.#find(request);
      response = await route.answer({ service, request, params, now, wantsPage });
    } catch (error) {
      if (error instanceof ConnectionDropped) throw error;
      response = errorAnswer(failureOf(error, onError));
    }
    const duration_ms = Math.round((process.uptime() - started) * 100_000) / 100;
    const { method } = request;
    const request_id = maskSecrets(request.id);
    onRequest({ at: now, method, path, status: response.status, duration_ms, account_id: null, key_preview: null, request_id });
    return response;
  }

  /** A path for the log, also one that no route has: what stands in the place of a token is masked. */
  #masked(path: string): string {
    for (const begin of this.#beforeTokens) {
      const found = begin.exec(path)?.[0];
      if (found !== undefined) return path.replace(new RegExp(`^(.{${found.length}})[^/]+`), `$1${mask}`);
    }
    return path;
  }

  /** @throws ApiError 404 or 405 */
  #find({ method, path }: ApiRequest): readonly [PublicRoute, Readonly<Record<string, string>>] {
    this.#router ??= this.#makeRouter();
    const [found] = this.#router.match(method === 'HEAD' ? 'GET' : method, path)[0];
    if (found) return [found[0], checkParams(decodeAll(found[1] as Record<string, string>))];
    const allowed = this.#routes.filter((route) => this.#router?.match(route.method, path)[0].length);
    if (allowed.length === 0) throw new ApiError(404, 'There is no such page');
    throw methodNotAllowed(method, [...new Set(allowed.map((route) => route.method))]);
  }

  #makeRouter(): TrieRouter<PublicRoute> {
    const router = new TrieRouter<PublicRoute>();
    for (const route of bySpecificity(this.#routes)) router.add(route.method, route.path, route);
    return router;
  }
}

/** An error of an address that a browser opened, as a page. */
export function errorAsPage(answer: ApiResponse): ApiResponse {
  if (answer.headers['content-type']?.startsWith('application/json') !== true) return answer;
  const { error } = JSON.parse(answer.body.join('')) as { error: string };
  const page = pageAnswer(errorPage({ status: answer.status, text: error }, assetsIfBuilt()), { status: answer.status });
  return { ...page, headers: { ...answer.headers, ...page.headers } };
}

/** The styles of an error page, which needs none. */
function assetsIfBuilt() {
  try {
    return pageAssets('page.css');
  } catch {
    return undefined;
  }
}
