import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TrieRouter } from 'hono/router/trie-router';
import { type Endpoint, schemaOf, subAccountPlace, successStatus } from '../../contract/endpoint.ts';
import { sandboxEndpoints } from '../../contract/areas/sandbox/endpoints.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { limits } from '../../contract/limits.ts';
import { followLink } from '../../contract/areas/links/endpoints.ts';
import { type Account, findManagedAccount } from '../identity/accounts.ts';
import { Batches } from '../store/batches.ts';
import { accountBucket, callerBucket } from './buckets.ts';
import { checkAllowed, checkPlan, checkScopes } from './checks.ts';
import {
  type Context,
  type SandboxHandler,
  type Handler,
  pageReader,
  type PreparedContext,
  type PublicHandler,
  type Service,
} from './context.ts';
import { type Caller, type Credential, findMember, KeyLookup, readCredential } from '../identity/credentials.ts';
import { readClock } from '../clock/clock.ts';
import { ApiError, ConnectionDropped } from '../errors.ts';
import { isConstant, matches, meet } from '../drills/faults.ts';
import { type ApiRequest, type ApiResponse, type Fetch, parseJsonObject } from './request.ts';
import { digest } from '../identity/secrets.ts';
import type { Verdict } from './rate-limits.ts';
import { Redirect } from './redirect.ts';
import type { RequestLogEntry } from './request-log.ts';
import { readState, type State, updateState } from '../clock/state.ts';
import { isMissingReference } from '../store/store.ts';
import { parseWith } from './validation.ts';

/** Where the interface and the control surface lie. */
const apiRoot = '/v1';
const controlRoot = '/sandbox';

/** How long a request may take before it is given up, in milliseconds. */
const requestTimeout = 30_000;

/** What an app needs beside the service's parts. */
export interface AppOptions {
  readonly service: Service;
  readonly handlers: Readonly<Record<string, Handler<Endpoint> | SandboxHandler<Endpoint> | PublicHandler<Endpoint>>>;
  /** Called for every answered request of the interface. */
  readonly onRequest: (entry: RequestLogEntry) => void;
  readonly onKeyUsed: (keyId: string, at: number) => void;
  /** Called for every error that is not the caller's. */
  readonly onError: (error: unknown) => void;
  /** Called with every success answer before it is sent: the tests hold it against the contract. */
  readonly onAnswer?: ((spec: Endpoint, answer: unknown) => void) | undefined;
}

/** What is known of a request on its way through the checks, for its answer's headers and the log. */
interface Progress {
  caller: Caller | null;
  verdict: Verdict | null;
  now: number;
  frozen: boolean;
}

/** A request that a route was found for, with the parameters of its path. */
interface Routed {
  readonly request: ApiRequest;
  readonly params: Readonly<Record<string, string>>;
}

type Route = (routed: Routed) => Promise<ApiResponse>;

/** Makes the app that serves the interface and the control surface, running the checks in the order of Document 4. */
export function createApp(options: AppOptions): Fetch {
  const surface = new Interface(options);
  const control = new SandboxSurface(options);
  const router = new TrieRouter<Route>();
  for (const spec of bySpecificity(endpoints)) router.add(spec.method, routePath(apiRoot, spec), (routed) => surface.serve(routed, spec));
  for (const spec of bySpecificity(sandboxEndpoints)) router.add(spec.method, routePath('', spec), (routed) => control.serve(routed, spec));
  // Short links lead on from the server's root too: that is what makes them short.
  router.add('GET', routePath('', followLink), (routed) => surface.serve(routed, followLink));
  // What no endpoint takes falls to these: another method on a known path, and any other path.
  for (const [path, methods] of methodsByPath(apiRoot, endpoints))
    router.add('ALL', path, ({ request }) => surface.refuse(request, methodNotAllowed(request, methods)));
  for (const [path, methods] of methodsByPath('', sandboxEndpoints))
    router.add('ALL', path, ({ request }) => control.refuse(request, methodNotAllowed(request, methods)));
  router.add('ALL', routePath('', followLink), ({ request }) => surface.refuse(request, methodNotAllowed(request, ['GET'])));
  router.add('ALL', `${apiRoot}/*`, ({ request }) => surface.refuse(request, unknownPath()));
  router.add('ALL', `${controlRoot}/*`, ({ request }) => control.refuse(request, unknownPath()));
  return async (request) => {
    // A HEAD is a GET whose body the transport leaves out.
    const [found] = router.match(request.method === 'HEAD' ? 'GET' : request.method, request.path);
    const [route, params] = found[0] ?? [];
    return route ? await route({ request, params: decodeAll(params as Record<string, string>) }) : answerError(unknownPath());
  };
}

/** Literal segments go before parameters: `/api-keys/current` is not the key with the id `current`. */
function bySpecificity<Spec extends Endpoint>(specs: readonly Spec[]): Spec[] {
  return specs.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
}

function routePath(root: string, spec: Endpoint): string {
  return root + spec.path.replace(/\{(\w+)\}/g, ':$1');
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
  return new ApiError(404, 'There is no such path; GET /v1/openapi.json lists them');
}

function methodsByPath(root: string, specs: readonly Endpoint[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const spec of specs) {
    const path = routePath(root, spec);
    methods.set(path, [...(methods.get(path) ?? []), spec.method]);
  }
  return methods;
}

function methodNotAllowed({ method }: ApiRequest, methods: string[]): ApiError {
  const allowed = methods.join(', ');
  return new ApiError(405, `${method} is not allowed on this path; it takes ${allowed}`, {}, { allow: allowed });
}

/** Serves the published interface. */
class Interface {
  readonly #options: AppOptions;
  readonly #service: Service;
  readonly #keys: KeyLookup;
  readonly #batches: Batches<PreparedContext<Endpoint>, object>;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#service = options.service;
    this.#keys = new KeyLookup(options.service.store);
    this.#batches = new Batches(options.service.store);
  }

  /** Answers a request to an endpoint. */
  serve(routed: Routed, spec: Endpoint): Promise<ApiResponse> {
    const { request } = routed;
    return this.#answer(request, spec, async (progress) => {
      if (spec.access === 'public') return await this.#answerPublic(routed, spec);
      const { state, caller } = await this.#admit(request, spec, progress);
      checkPlan(caller.account);
      const input = await readInput(request, spec);
      checkScopes(spec, caller, input.subAccountId);
      const account = await this.#actingAccount(caller, input.subAccountId);
      checkAllowed(spec, caller, account);
      return await this.#handle(routed, spec, { state, caller, account, now: progress.now }, input);
    });
  }

  /** Answers a request that no endpoint is there for, once it has shown a credential. */
  refuse(request: ApiRequest, error: ApiError): Promise<ApiResponse> {
    return this.#answer(request, null, async (progress) => {
      await this.#admit(request, null, progress);
      throw error;
    });
  }

  /** Runs checks 1 and 2: the credential and the rate limits. */
  async #admit(request: ApiRequest, spec: Endpoint | null, progress: Progress): Promise<{ state: State; caller: Caller }> {
    const { state, caller } = await this.#identify(request, spec, progress);
    if (!caller) throw new ApiError(401, 'Missing or invalid API key');
    progress.caller = caller;
    progress.verdict = await this.#countRequest(caller, progress.now);
    if (!progress.verdict.allowed) throw new ApiError(429, 'Rate limit exceeded: wait for the seconds in Retry-After');
    if (caller.kind !== 'member') this.#options.onKeyUsed(caller.keyId, progress.now);
    return { state, caller };
  }

  async #identify(request: ApiRequest, spec: Endpoint | null, progress: Progress): Promise<{ state: State; caller: Caller | null }> {
    const credential = readCredential(request);
    const found =
      credential?.kind === 'key'
        ? await this.#keys.find(credential.value)
        : { state: await this.#service.store.read(readState), caller: null, expiresAt: null };
    progress.now = readClock(found.state.clock, this.#service.realNow());
    progress.frozen = found.state.clock.clock_frozen === 1;
    if (found.state.faults.length > 0) await this.#applyFaults(found.state, request.method, request.path.slice(apiRoot.length));
    const isExpired = found.expiresAt !== null && found.expiresAt <= progress.now;
    return {
      state: found.state,
      caller: isExpired ? null : await this.#callerOf(credential, isPersonal(request, spec), found.caller, progress.now),
    };
  }

  async #callerOf(credential: Credential | null, personal: boolean, keyCaller: Caller | null, now: number): Promise<Caller | null> {
    if (credential?.kind !== 'token') return personal ? null : keyCaller;
    const identity = await this.#service.identities.verify(credential.value, now);
    return identity && (await this.#service.store.read((db) => findMember(db, identity)));
  }

  /** Counts the request against the key and the account; one that either refuses counts against neither. */
  async #countRequest(caller: Caller, now: number): Promise<Verdict> {
    const { rateLimits } = this.#service;
    const { plan, id } = caller.account;
    const [key, keyLimit] = callerBucket(caller);
    const account = accountBucket(id);
    const ceiling = plan.account_requests_per_minute;
    // Mostly both are at hand, and nothing need be waited for.
    const heldKey = rateLimits.takeHeld(key, keyLimit, now);
    const heldAccount = rateLimits.takeHeld(account, ceiling, now);
    const [keyVerdict, accountVerdict] =
      heldKey && heldAccount
        ? [heldKey, heldAccount]
        : await Promise.all([heldKey ?? rateLimits.take(key, keyLimit, now), heldAccount ?? rateLimits.take(account, ceiling, now)]);
    if (keyVerdict.allowed && !accountVerdict.allowed) rateLimits.putBack(key, keyVerdict);
    if (!keyVerdict.allowed && accountVerdict.allowed) rateLimits.putBack(account, accountVerdict);
    return keyVerdict.allowed && !accountVerdict.allowed ? accountVerdict : keyVerdict;
  }

  async #actingAccount(caller: Caller, subAccountId: string | undefined): Promise<Account> {
    if (subAccountId === undefined) return caller.account;
    const account = subAccountId.includes('\0')
      ? undefined
      : await this.#service.store.read((db) => findManagedAccount(db, caller.account.id, subAccountId));
    if (!account) throw new ApiError(404, 'Sub-account not found');
    return account;
  }

  async #handle(
    { request, params }: Routed,
    spec: Endpoint,
    known: { state: State; caller: Caller; account: Account; now: number },
    input: Input,
  ): Promise<ApiResponse> {
    const { query, body } = readShape(request, spec, input);
    const handler = this.#options.handlers[spec.name] as Handler<Endpoint>;
    const page = pageReader(spec, known.account.id, params, query, this.#service.cursorSecret);
    const before = { ...known, service: this.#service, params: checkParams(params), query, body };
    const context = { ...before, prepared: await handler.prepare?.(before) };
    const { store } = this.#service;
    const run = (db: Context<Endpoint>['db']) => handler({ ...context, page, db });
    const write = () =>
      handler.handleMany ? this.#batches.run(`${spec.name} ${known.account.id}`, context, handler.handleMany) : store.write(run);
    // A read ends by itself: each of its queries is bounded, or has the database's own limit.
    const answer = await (spec.method === 'GET' ? store.read(run) : inTime(write())).catch((error: unknown) => {
      // The acting account was deleted since it was looked up.
      throw isMissingReference(error) ? new ApiError(404, 'Account not found') : error;
    });
    this.#options.onAnswer?.(spec, answer);
    if (spec.method !== 'GET') {
      this.#service.failpoint('request.committed');
      this.#service.jobs.wake();
    }
    return answerSuccess(spec, answer);
  }

  async #applyFaults(state: State, method: string, path: string): Promise<void> {
    for (const fault of state.faults) {
      if (!matches(fault, method, path)) continue;
      if (!isConstant(fault) && !(await this.#meetFault(fault.id))) continue;
      if (fault.delay_ms !== undefined) await sleep(fault.delay_ms, undefined, { ref: false });
      if (fault.drop) throw new ConnectionDropped();
      if (fault.status !== undefined) throw new ApiError(fault.status, `A fault was asked for: ${fault.status}`);
    }
  }

  /** Counts a fault's meeting with a request in the store, as other processes count too. Returns whether it hits. */
  async #meetFault(id: string): Promise<boolean> {
    return await this.#service.store.write(async (db) => {
      const { faults } = await readState(db);
      const fault = faults.find((other) => other.id === id);
      if (!fault) return false;
      const { hit, left } = meet(fault);
      const remaining = faults.flatMap((other) => (other.id === id ? (left ?? []) : other));
      await updateState(db, { faults: JSON.stringify(remaining) });
      return hit;
    });
  }

  /** Runs the work of a request, turns what it throws into the envelope, and writes the log. */
  async #answer(request: ApiRequest, spec: Endpoint | null, work: (progress: Progress) => Promise<ApiResponse>): Promise<ApiResponse> {
    const { onError, onRequest } = this.#options;
    const started = performance.now();
    const progress: Progress = { caller: null, verdict: null, now: this.#service.realNow(), frozen: false };
    let response: ApiResponse;
    try {
      response = await work(progress);
    } catch (error) {
      if (error instanceof ConnectionDropped) throw error;
      response = answerFailure(error, onError);
      if (response.status === 429) {
        response.headers['retry-after'] = String(secondsLeft(progress) || 1);
        // Waiting does not help while time stands still: a client that knows can say so at once.
        if (progress.frozen) response.headers['sandbox-clock'] = 'frozen';
      }
    }
    if (progress.verdict) setRateHeaders(response, progress.verdict, secondsLeft(progress));
    const { caller } = progress;
    onRequest({
      at: progress.now,
      method: request.method,
      path: request.path,
      status: response.status,
      duration_ms: Math.round((performance.now() - started) * 100) / 100,
      account_id: caller?.account.id ?? null,
      key_preview: caller && caller.kind !== 'member' ? caller.keyPreview : null,
    });
    return response;
  }

  async #answerPublic({ request, params }: Routed, spec: Endpoint): Promise<ApiResponse> {
    await this.#applyFaults(
      await this.#service.store.read(readState),
      request.method,
      request.path.startsWith(`${apiRoot}/`) ? request.path.slice(apiRoot.length) : request.path,
    );
    const handler = this.#options.handlers[spec.name] as PublicHandler<Endpoint>;
    const answer = await handler({ service: this.#service, params: checkParams(params), method: request.method });
    if (answer instanceof Redirect) return { status: 302, headers: { ...securityHeaders, location: answer.location }, body: '' };
    // The document is no answer of the envelope's kind: a tool that reads OpenAPI reads this.
    return { status: 200, headers: { ...securityHeaders }, body: JSON.stringify(answer) };
  }
}

/** Serves the control surface (Document 5, A2). */
class SandboxSurface {
  readonly #options: AppOptions;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  async serve({ request, params }: Routed, spec: Endpoint): Promise<ApiResponse> {
    return await this.#answer(async () => {
      if (spec.access !== 'public') await this.#checkToken(request);
      const { service, handlers } = this.#options;
      const takesBytes = spec.rawBodyBytes !== undefined;
      const bytes = takesBytes ? await request.readBody(spec.rawBodyBytes) : new Uint8Array();
      const input = takesBytes ? { body: {}, bodyError: null, subAccountId: undefined } : await readInput(request, spec);
      const { query, body } = readShape(request, spec, input);
      const state = await service.store.read(readState);
      const now = readClock(state.clock, service.realNow());
      const handler = handlers[spec.name] as SandboxHandler<Endpoint>;
      const answer = await handler({ service, state, now, params: checkParams(params), query, body, bytes });
      this.#options.onAnswer?.(spec, answer);
      if (spec.method !== 'GET') service.failpoint('request.committed');
      service.jobs.wake();
      return answerSuccess(spec, answer);
    });
  }

  async refuse(request: ApiRequest, error: ApiError): Promise<ApiResponse> {
    return await this.#answer(async () => {
      await this.#checkToken(request);
      throw error;
    });
  }

  async #checkToken(request: ApiRequest): Promise<void> {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(request.header('authorization')?.trim() ?? '') ?? [];
    const { sandbox_token_digest: wanted } = await this.#options.service.store.read((db) =>
      db.selectFrom('service_state').select('sandbox_token_digest').executeTakeFirstOrThrow(),
    );
    if (!timingSafeEqual(Buffer.from(digest(token)), Buffer.from(wanted))) throw new ApiError(401, 'Missing or invalid sandbox token');
  }

  async #answer(work: () => Promise<ApiResponse>): Promise<ApiResponse> {
    try {
      return await work();
    } catch (error) {
      return answerFailure(error, this.#options.onError);
    }
  }
}

/** Whether only a person's session counts: on /team and all that lies below it, even what does not exist. */
function isPersonal(request: ApiRequest, spec: Endpoint | null): boolean {
  return spec ? spec.access === 'person' : /^\/v1\/team(\/|$)/.test(request.path);
}

/** What a request says, before its shape is checked. */
interface Input {
  readonly body: Record<string, unknown>;
  /** Why the body cannot be read: for check 7, as it names no sub-account. */
  readonly bodyError: ApiError | null;
  readonly subAccountId: string | undefined;
}

async function readInput(request: ApiRequest, spec: Endpoint): Promise<Input> {
  let body: Record<string, unknown> = {};
  let bodyError: ApiError | null = null;
  if (spec.method !== 'GET' && (spec.method !== 'DELETE' || spec.body)) {
    try {
      body = parseJsonObject(await request.readBody(limits.bodyBytes));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      bodyError = error;
    }
  }
  const named =
    subAccountPlace(spec) === 'query' ? request.query.sub_account_id : subAccountPlace(spec) === 'body' ? body.sub_account_id : undefined;
  return { body, bodyError, subAccountId: typeof named === 'string' ? named : undefined };
}

/** Check 7: the request's shape. */
function readShape(request: ApiRequest, spec: Endpoint, { body, bodyError }: Input): { query: object; body: object } {
  if (bodyError) throw bodyError;
  const place = spec.method === 'GET' || spec.method === 'DELETE' ? request.query : body;
  if (spec.access !== 'sandbox' && !subAccountPlace(spec) && ('sub_account_id' in body || 'sub_account_id' in request.query))
    throw new ApiError(400, 'sub_account_id: is not accepted here');
  if (subAccountPlace(spec) && 'sub_account_id' in place) {
    if (typeof place.sub_account_id !== 'string') throw new ApiError(400, 'sub_account_id: must be a text');
  }
  return {
    query: spec.query ? parseWith(schemaOf(spec.query), request.query, 'query') : {},
    body: spec.body ? parseWith(schemaOf(spec.body), body, 'body') : {},
  };
}

/** A parameter that no id can be names no record. */
function checkParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name in params) if (params[name]?.includes('\0')) throw new ApiError(404, 'Not found');
  return params;
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ApiError(503, 'The request took too long; a change may have been made all the same')),
      requestTimeout,
    ).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const securityHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

function answerSuccess(spec: Endpoint, answer: object): ApiResponse {
  return { status: successStatus(spec), headers: { ...securityHeaders }, body: JSON.stringify({ success: true, ...answer }) };
}

function answerError(error: ApiError): ApiResponse {
  const body = JSON.stringify({ success: false, error: error.message, error_code: error.errorCode, ...error.details });
  return { status: error.status, headers: { ...securityHeaders, ...error.headers }, body };
}

function answerFailure(error: unknown, report: (error: unknown) => void): ApiResponse {
  if (error instanceof ApiError) return answerError(error);
  report(error);
  return answerError(new ApiError(500, 'Something went wrong in the service; try again'));
}

function secondsLeft({ verdict, now }: Progress): number {
  return verdict ? Math.max(0, Math.ceil((verdict.resetsAt - now) / 1000)) : 0;
}

function setRateHeaders({ headers }: ApiResponse, verdict: Verdict, seconds: number): void {
  headers['ratelimit-limit'] = String(verdict.limit);
  headers['ratelimit-remaining'] = String(verdict.remaining);
  headers['ratelimit-reset'] = String(seconds);
}
