import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { answerSchema, type Endpoint } from '../../contract/endpoint.ts';
import { idempotencyHeader, isIdempotencyKey } from '../../contract/idempotency.ts';
import { hasSecret, redact } from '../../contract/secret.ts';
import { ApiError } from '../errors.ts';
import type { Db } from '../store/database.ts';
import { SharedReads } from '../store/shared-reads.ts';
import { isDuplicate, type Store } from '../store/store.ts';
import { errorAnswer, repeatedAnswer, sizeOf, successAnswer } from './answers.ts';
import {
  addRows,
  claimLength,
  endClaim,
  type KeyedRequest,
  type Known,
  knownFrom,
  nameOf,
  type NewRow,
  readKept,
  removeClaim,
  removeLeft,
  renewClaim,
} from './kept-answers.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

/** The largest answer that is kept, in bytes. */
const keptBytes = 64 * 1024;

/** The interval at which a claim is renewed, in real milliseconds. */
const renewInterval = claimLength / 4;

/** The credential in a query, which is not a part of the request that is repeated. */
const credentialInQuery = 'apiKey=';

/** The idempotency key of a request; undefined where it has none, or where the key has no effect. It may not be a valid one. */
export function keyOf(request: ApiRequest, spec: Pick<Endpoint, 'rawBodyBytes'> | undefined): string | undefined {
  return request.method === 'POST' && spec?.rawBodyBytes === undefined ? request.header(idempotencyHeader) : undefined;
}

/** The 400 for a key that cannot be one; undefined for a valid one, and for none. */
export function keyError(key: string | undefined): ApiError | undefined {
  if (key === undefined || isIdempotencyKey(key)) return undefined;
  return new ApiError(400, 'The header Idempotency-Key must have 1 to 255 characters of ASCII, without blanks');
}

/** Collects the body of a request as it is read, for its digest. */
export function observed(request: ApiRequest): { readonly request: ApiRequest; readonly digest: () => string } {
  let body: Uint8Array = new Uint8Array();
  const readBody = async (maxBytes: number) => (body = await request.readBody(maxBytes));
  const digest = () => {
    const query = request.search.split('&').filter((part) => part !== '' && !part.startsWith(credentialInQuery));
    const line = JSON.stringify([request.method, request.path, query]);
    return createHash('sha256').update(`${line}\n`).update(body).digest('base64url');
  };
  return { request: { ...request, readBody }, digest };
}

/** Keeps the answer to one request. */
export interface Keeping {
  readonly spec: Endpoint;
  readonly request: KeyedRequest;
  /** The row that an answer replaces, because it no longer counts. */
  readonly left: number | null;
  /** The process that has claimed the request; null where the transaction of its effect is its claim. */
  readonly owner: string | null;
}

/** An answer in the form in which it is kept. */
type Kept = NonNullable<NewRow['answer']>;

/**
 * Keeps success answers, in the transaction of what they tell.
 * @param until keeps the claims on the requests too, until then, because they are still at work
 */
export async function keepAnswers(
  db: Db,
  answers: readonly { readonly keeping: Keeping; readonly answer: object }[],
  until?: number,
): Promise<void> {
  const rows: NewRow[] = [];
  for (const { keeping, answer } of answers) {
    const { spec, request, owner } = keeping;
    await makeRoom(db, keeping);
    rows.push({ request, answer: await keptForm(spec, answer), claim: owner !== null && until !== undefined ? { owner, until } : null });
  }
  await addRows(db, rows);
}

/**
 * Keeps an answer that can still change, because the request is still at work. It stands if the process ends now.
 * @param realNow in epoch milliseconds
 */
export async function keepSoFar(db: Db, keeping: Keeping, answer: object, realNow: number): Promise<void> {
  await keepAnswers(db, [{ keeping, answer }], realNow + claimLength);
}

async function keepRefusal(db: Db, keeping: Keeping, refusal: ApiResponse): Promise<void> {
  await makeRoom(db, keeping);
  await addRows(db, [{ request: keeping.request, answer: formOf(refusal), claim: null }]);
}

async function makeRoom(db: Db, { request, left, owner }: Keeping): Promise<void> {
  if (owner !== null) await removeClaim(db, request, owner);
  else if (left !== null) await removeLeft(db, left);
}

function formOf(response: ApiResponse, isKept = true): Kept {
  return { status: response.status, body: isKept && sizeOf(response) <= keptBytes ? response.body.join('') : null };
}

/** What is kept of a success answer: no body when it is large, or shows a secret, which must not be stored. */
async function keptForm(spec: Endpoint, answer: object): Promise<Kept> {
  // A transaction must only await the database, so a large answer is made in one piece.
  const response = await successAnswer(spec, answer, { run: (work) => work() });
  return formOf(response, !mayShowSecret(spec) || isDeepStrictEqual(redact(answerSchema(spec), answer), answer));
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

/** Whether an endpoint has a secret in its answer, by its name. */
const showingSecrets = new Map<string, boolean>();

function mayShowSecret(spec: Endpoint): boolean {
  let shows = showingSecrets.get(spec.name);
  if (shows === undefined) showingSecrets.set(spec.name, (shows = hasSecret(answerSchema(spec))));
  return shows;
}

/**
 * Whether a refusal is kept: not one that passes, and not that of a field, which is the last check of the request itself, unless the
 * account is the reason.
 */
function isKeptRefusal(error: unknown): error is ApiError {
  if (!isRefusal(error) || error.status === 429) return false;
  return error.status !== 400 || error.details.field === undefined || error.details.reason === 'channel_not_connected';
}

/** Runs a transaction on the acting account. */
type Write = (work: (db: Db) => Promise<void>) => Promise<void>;

type Work = (keeping: Keeping) => Promise<ApiResponse>;

interface RepeatsOptions {
  readonly store: Store;
  readonly realNow: () => number;
  /** Identifies this process. */
  readonly owner: () => string;
  /** Called for errors that concern no request. */
  readonly onError: (error: unknown) => void;
}

/** A request that this process works on. */
interface Working {
  readonly digest: string;
  /** False while it looks for an answer that was kept. */
  isAtWork: boolean;
}

/** Answers requests that are repeated with an idempotency key, so that each has one effect (rule repeats.1). */
export class Repeats {
  readonly #options: RepeatsOptions;
  /** What this process works on, by account and key. */
  readonly #working = new Map<string, Working>();
  /** Lets concurrent requests share a lookup, for databases that need a round trip for each. */
  readonly #kept = new SharedReads((names) => this.#options.store.read((db) => readKept(db, names)));

  constructor(options: RepeatsOptions) {
    this.#options = options;
  }

  /**
   * Answers a request that passed the checks of the request itself.
   * @param isClaimed whether its effect may be more than one transaction, so that other processes have to know that it is at work
   * @param write runs a transaction on the acting account
   * @param work makes the answer, and keeps it in the transaction of its effect
   */
  async answer(spec: Endpoint, request: KeyedRequest, isClaimed: boolean, write: Write, work: Work): Promise<ApiResponse> {
    const id = nameOf(request);
    const other = this.#working.get(id);
    if (other?.isAtWork) throw atWork(other.digest, request.digest);
    const mine = { digest: request.digest, isAtWork: false };
    if (!other) this.#working.set(id, mine);
    try {
      const known = await this.#find(request);
      if (known.state !== 'new') return repeated(known, request.digest);
      if (other) throw atWork(other.digest, request.digest);
      mine.isAtWork = true;
      return await this.#work({ spec, request, left: known.left, owner: isClaimed ? this.#options.owner() : null }, write, work);
    } finally {
      if (!other) this.#working.delete(id);
    }
  }

  async #find(request: KeyedRequest): Promise<Known> {
    const { owner, realNow } = this.#options;
    return knownFrom(await this.#kept.get(nameOf(request)), request.now, owner(), realNow());
  }

  async #work(keeping: Keeping, write: Write, work: Work): Promise<ApiResponse> {
    const { request, owner } = keeping;
    let endClaim = async () => {};
    try {
      if (owner !== null) endClaim = await this.#claim(keeping, owner);
      return await work(keeping);
    } catch (error) {
      if (!isDuplicate(error) && !isRefusal(error)) throw error;
      // Another process was faster. A refusal may come from what it has done.
      const known = await this.#find(request);
      if (known.state !== 'new') return repeated(known, request.digest);
      if (!isKeptRefusal(error)) throw error;
      return await this.#keepRefusal(keeping, error, write);
    } finally {
      await endClaim();
    }
  }

  /** Keeps a refusal, unless another process has kept another answer meanwhile. */
  async #keepRefusal(keeping: Keeping, error: ApiError, write: Write): Promise<ApiResponse> {
    const refusal = errorAnswer(error);
    try {
      await write((db) => keepRefusal(db, keeping, refusal));
      return refusal;
    } catch (failure) {
      const known = isDuplicate(failure) ? await this.#find(keeping.request) : undefined;
      if (known === undefined || known.state === 'new') throw failure;
      return repeated(known, keeping.request.digest);
    }
  }

  /** Tells other processes that a request is at work. @returns ends the claim */
  async #claim({ request, left }: Keeping, owner: string): Promise<() => Promise<void>> {
    const { store, realNow, onError } = this.#options;
    const write = (work: (db: Db) => Promise<void>) => store.write(work, { isDurable: false });
    await write(async (db) => {
      if (left !== null) await removeLeft(db, left);
      await addRows(db, [{ request, answer: null, claim: { owner, until: realNow() + claimLength } }]);
    });
    const renew = () => void write((db) => renewClaim(db, request, owner, realNow() + claimLength)).catch(onError);
    const timer = setInterval(renew, renewInterval).unref();
    return async () => {
      clearInterval(timer);
      // A claim that cannot be ended now ends by itself.
      await write((db) => endClaim(db, request, owner)).catch(onError);
    };
  }
}

function atWork(first: string, digest: string): ApiError {
  if (first !== digest) return keyReused();
  const message = 'The first request with this Idempotency-Key is still at work: try again in a second';
  return new ApiError(409, message, { reason: 'request_at_work' }, { 'retry-after': '1' });
}

function keyReused(): ApiError {
  return new ApiError(422, 'This Idempotency-Key was sent with another request: use another key', { reason: 'key_reused' });
}

/** The answer to a request whose key is known. @throws ApiError where the answer is not there, or that of another request */
function repeated(known: Exclude<Known, { state: 'new' }>, digest: string): ApiResponse {
  if (known.state === 'at work') throw atWork(known.digest, digest);
  if (known.digest !== digest) throw keyReused();
  if (known.body !== null) return repeatedAnswer(known.status, known.body);
  const outcome = known.status < 400 ? 'was done' : `was refused with ${known.status}`;
  throw new ApiError(409, `The request with this Idempotency-Key ${outcome}. Its answer is not kept: ${whyNotKept}`, {
    reason: 'answer_not_kept',
  });
}

const whyNotKept = 'it shows a secret, or has more than 64 KiB';
