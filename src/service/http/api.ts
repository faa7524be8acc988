import { apiRoot, type Endpoint } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { limits } from '../../contract/limits.ts';
import { ApiError, ConnectionDropped, notFound } from '../errors.ts';
import { type Account, findManagedAccount } from '../identity/accounts.ts';
import { type Caller, readCredential } from '../identity/caller.ts';
import { idempotencyHeader } from '../../contract/idempotency.ts';
import { maskSecrets } from '../../contract/secret.ts';
import { isMissingReference } from '../store/store.ts';
import { Admission, type Progress } from './admission.ts';
import type { AnonymousLimit } from './anonymous-limit.ts';
import { documentAnswer, failureAnswer, fileAnswer, redirectAnswer, streamAnswer, streamedFileAnswer } from './answers.ts';
import { checkAllowed, checkPlan, checkScopes } from './checks.ts';
import { callPublic } from './call-public.ts';
import { FileAnswer, type FileHandler, Redirect, type RequestContext, type StreamHandler } from './handler.ts';
import type { Handling } from './handling.ts';
import { checkParams, checkShape, readInput } from './input.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import { answerWithin, type EndpointGroup, type EndpointGroupOptions, handlerOf, type RoutedRequest } from './endpoint-group.ts';
import { type Keeping, keyOf, observed, Repeats } from './repeats.ts';

/** Serves the published interface. Runs the checks in the defined order (rule conventions.27). */
export class Api implements EndpointGroup {
  readonly #options: EndpointGroupOptions;
  readonly #admission: Admission;
  readonly #handling: Handling;
  readonly #repeats: Repeats;

  constructor(options: EndpointGroupOptions, handling: Handling, anonymous: AnonymousLimit) {
    this.#options = options;
    this.#handling = handling;
    this.#admission = new Admission(options.service, anonymous, options.onKeyUsed);
    const { store, realNow, jobs } = options.service;
    this.#repeats = new Repeats({ store, realNow, owner: () => jobs.owner, onError: options.onError });
  }

  answer(routed: RoutedRequest, spec: Endpoint): Promise<ApiResponse> {
    const key = keyOf(routed.request, spec);
    const { request: incoming, digest } = key === undefined ? { request: routed.request, digest: () => '' } : observed(routed.request);
    return this.#logging(incoming, async (progress) => {
      if (spec.access === 'public') return await this.#answerPublic(routed, spec, progress);
      const caller = await this.#admission.admit(incoming, spec.access === 'person', key, progress);
      checkPlan(caller.account);
      const input = await readInput(incoming, spec);
      checkScopes(spec, caller, input.subAccountId, input.body);
      const account = await this.#actingAccount(caller, input.subAccountId);
      checkAllowed(spec, caller, account, input.body);
      const { query, body } = checkShape(incoming, spec, input);
      const params = checkParams(routed.params);
      const request = this.#handling.request(spec, { account, caller, now: progress.now, params, query, body });
      if (spec.isFile) {
        const file = await handlerOf<FileHandler<Endpoint>>(this.#options.handlers, spec).openFile(request);
        return streamedFileAnswer(file, routed.request.method === 'HEAD');
      }
      if (spec.isStream) return await this.#openStream(routed, spec, input.subAccountId, request);
      const payer = caller.account.parentId ?? caller.account.id;
      const work = async (keeping?: Keeping) => {
        const ready = await this.#handling.prepare(spec, request);
        return await answerWithin(this.#options, routed, spec, payer, (isLarge) =>
          this.#handling.answer(spec, ready, { isLarge, keeping }),
        );
      };
      if (key === undefined) return await whileExists(work);
      const keyed = { accountId: account.id, key, digest: digest(), now: progress.now };
      const handler = this.#handling.handlerOf(spec);
      const isClaimed = 'answer' in handler || (handler.prepare !== undefined && !('handleMany' in handler));
      return await whileExists(() => this.#repeats.answer(spec, keyed, isClaimed, request.write, work));
    });
  }

  refuse(request: ApiRequest, neighbour: Endpoint | undefined, error: ApiError): Promise<ApiResponse> {
    return this.#logging(request, async (progress) => {
      const isPersonal = neighbour ? neighbour.access === 'person' : isBelowPersonalPath(request.path);
      await this.#admission.admit(request, isPersonal, keyOf(request, undefined), progress);
      throw error;
    });
  }

  async #answerPublic(routed: RoutedRequest, spec: Endpoint, progress: Progress): Promise<ApiResponse> {
    await this.#admission.admitPublic(routed.request, progress);
    const answer = await callPublic(this.#options, routed, spec);
    if (answer instanceof Redirect) return redirectAnswer(answer);
    return answer instanceof FileAnswer ? fileAnswer(answer) : documentAnswer(answer);
  }

  /** Opens a stream. It goes on as long as its credential passes the checks. */
  async #openStream(
    { request }: RoutedRequest,
    spec: Endpoint,
    subAccountId: string | undefined,
    { account, query: fields, now }: RequestContext<Endpoint>,
  ): Promise<ApiResponse> {
    const { streams: source } = handlerOf<StreamHandler>(this.#options.handlers, spec);
    const { after: afterField, ...query } = fields as { readonly after?: string };
    const { events: keep } = this.#options.service.retention;
    const credential = readCredential(request);
    if (!credential) throw new Error('A stream has a credential');
    const isAdmitted = async () => {
      const caller = await this.#admission.recheck(credential);
      return caller !== undefined && (await this.#isAllowed(spec, caller, subAccountId, account));
    };
    const after = request.header('last-event-id') || afterField;
    const since = keep === null ? 0 : now - keep;
    const held = { subject: account.id, holder: account.id, most: limits.streams };
    const watching = { source, ...held, query, after, since, credential: `${credential.value} ${account.id}`, isAdmitted };
    const stream = await this.#options.service.streams.open(watching);
    // A request for the headers alone opens nothing.
    if (request.method === 'HEAD') stream.end();
    return streamAnswer(stream);
  }

  /** Whether a caller may still do on an account what was allowed before. */
  async #isAllowed(spec: Endpoint, caller: Caller, subAccountId: string | undefined, before: Account): Promise<boolean> {
    try {
      checkPlan(caller.account);
      checkScopes(spec, caller, subAccountId, {});
      const account = await this.#actingAccount(caller, subAccountId);
      checkAllowed(spec, caller, account, {});
      return account.id === before.id;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return false;
      throw error;
    }
  }

  /** Check 5: the caller manages the sub-account in the request. */
  async #actingAccount(caller: Caller, subAccountId: string | undefined): Promise<Account> {
    if (subAccountId === undefined) return caller.account;
    const account = subAccountId.includes('\0')
      ? undefined
      : await this.#options.service.store.read((db) => findManagedAccount(db, caller.account.id, subAccountId));
    if (!account) throw notFound('sub_account');
    return account;
  }

  /** Runs the work of a request, converts errors into responses, and logs the request. */
  async #logging(request: ApiRequest, work: (progress: Progress) => Promise<ApiResponse>): Promise<ApiResponse> {
    const { service, onError, onRequest } = this.#options;
    // Unlike `performance`, this does not require loading a module.
    const started = process.uptime();
    const progress: Progress = { caller: undefined, verdict: undefined, now: service.realNow(), isFrozen: false };
    let response: ApiResponse;
    try {
      response = await work(progress);
    } catch (error) {
      if (error instanceof ConnectionDropped) throw error;
      response = failureAnswer(error, onError);
    }
    setRateHeaders(response, progress);
    const key = request.header(idempotencyHeader);
    if (key !== undefined) response.headers[idempotencyHeader] = key;
    const { caller } = progress;
    onRequest({
      at: progress.now,
      method: request.method,
      path: maskSecrets(request.path),
      status: response.status,
      duration_ms: Math.round((process.uptime() - started) * 100_000) / 100,
      account_id: caller?.account.id ?? null,
      key_preview: caller && caller.kind !== 'member' ? caller.keyPreview : null,
      request_id: maskSecrets(request.id),
    });
    return response;
  }
}

/** The paths whose endpoints all need a member's session. */
const personalPaths = personalSegments();

function personalSegments(): string[] {
  const others = new Set(endpoints.filter(({ access }) => access !== 'person').map(firstSegment));
  return [...new Set(endpoints.map(firstSegment))].filter((segment) => !others.has(segment));
}

function firstSegment({ path }: Endpoint): string {
  return path.split('/')[1] ?? '';
}

function isBelowPersonalPath(path: string): boolean {
  return personalPaths.some((segment) => `${path}/`.startsWith(`${apiRoot}/${segment}/`));
}

function setRateHeaders({ status, headers }: ApiResponse, { verdict, now, isFrozen }: Progress): void {
  const seconds = verdict ? Math.max(0, Math.ceil((verdict.resetsAt - now) / 1000)) : 0;
  // A limit in real time has already set its own header.
  if (status === 429 && headers['retry-after'] === undefined) {
    headers['retry-after'] = String(seconds || 1);
    // Waiting does not help while the clock is frozen. The header lets a client report this immediately.
    if (isFrozen) headers['sandbox-clock'] = 'frozen';
  }
  if (!verdict) return;
  headers['ratelimit-limit'] = String(verdict.limit);
  headers['ratelimit-remaining'] = String(verdict.remaining);
  headers['ratelimit-reset'] = String(seconds);
}

/** @throws ApiError 404 when the acting account was deleted after it was read */
async function whileExists<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isMissingReference(error) ? notFound('account') : error;
  }
}
