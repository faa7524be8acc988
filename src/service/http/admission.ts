import { apiRoot } from '../../contract/endpoint.ts';
import { readClock } from '../clock/clock.ts';
import { readState } from '../clock/state.ts';
import { ActiveFaults } from '../drills/active-faults.ts';
import { ApiError } from '../errors.ts';
import { type CredentialedCaller, type Credential, readCredential } from '../identity/caller.ts';
import { KeyLookup } from '../identity/key-lookup.ts';
import { activateMember, findMember } from '../identity/members.ts';
import type { AnonymousLimit } from './anonymous-limit.ts';
import { keyError } from './repeats.ts';
import type { Service } from './handler.ts';
import { accountBucket, callerBucket } from './rate-buckets.ts';
import type { Verdict } from './rate-limits.ts';
import type { ApiRequest } from './request.ts';

/** The results of the checks of a request so far, for the headers of its answer and for the log. */
export interface Progress {
  caller: CredentialedCaller | undefined;
  verdict: Verdict | undefined;
  /** The service's clock. */
  now: number;
  /** Whether the clock is frozen. */
  isFrozen: boolean;
}

/** Checks 1 and 2 of a request to the published interface: the credential and the rate limits. */
export class Admission {
  readonly #service: Service;
  readonly #keys: KeyLookup;
  readonly #faults: ActiveFaults;
  readonly #onKeyUsed: (keyId: string, at: number) => void;
  readonly #anonymous: AnonymousLimit;

  constructor(service: Service, anonymous: AnonymousLimit, onKeyUsed: (keyId: string, at: number) => void) {
    this.#anonymous = anonymous;
    this.#service = service;
    this.#keys = new KeyLookup(service.store);
    this.#faults = new ActiveFaults(service.store);
    this.#onKeyUsed = onKeyUsed;
  }

  /**
   * Admits a request with a credential.
   * @param isPersonal whether the endpoint needs a member's session
   * @param key the idempotency key, which is checked between the credential and the limits
   * @throws ApiError 401 without a valid credential, 400 with an invalid key, 429 above a rate limit, or the error of a fault
   */
  async admit(request: ApiRequest, isPersonal: boolean, key: string | undefined, progress: Progress): Promise<CredentialedCaller> {
    const caller = await this.#identify(request, isPersonal, progress);
    if (!caller) {
      this.#anonymous.count(request.remoteAddress);
      throw isPersonal && readCredential(request)?.kind === 'key' ? needsMember() : new ApiError(401, 'Missing or invalid API key');
    }
    progress.caller = caller;
    progress.verdict = await this.#countRequest(caller, progress.now);
    const invalidKey = keyError(key);
    if (invalidKey) throw invalidKey;
    if (!progress.verdict.allowed) throw new ApiError(429, 'Rate limit exceeded: wait for the number of seconds in Retry-After');
    if (caller.kind !== 'member') this.#onKeyUsed(caller.keyId, progress.now);
    else if (caller.isInvited) await this.#activate(caller.memberId, caller.account.id, progress.now);
    return caller;
  }

  /**
   * Admits a request to a public endpoint.
   * @throws ApiError 429 above the limit of requests without a valid credential, or the error of a fault
   */
  async admitPublic(request: ApiRequest, progress: Progress): Promise<void> {
    // Without a credential, a request above the limit is refused before anything is read.
    const hasCredential = readCredential(request) !== undefined;
    if (!hasCredential) this.#anonymous.count(request.remoteAddress);
    const caller = await this.#identify(request, false, progress);
    if (hasCredential && !caller) this.#anonymous.count(request.remoteAddress);
  }

  async #identify(request: ApiRequest, isPersonal: boolean, progress: Progress): Promise<CredentialedCaller | undefined> {
    const credential = readCredential(request);
    const found =
      credential?.kind === 'key'
        ? await this.#keys.find(credential.value)
        : { state: await this.#service.store.read(readState), caller: undefined, expiresAt: null };
    const { state, expiresAt } = found;
    progress.now = readClock(state, this.#service.realNow());
    progress.isFrozen = state.clock_frozen;
    if (state.faults.length > 0) await this.#faults.apply(state, request.method, withoutRoot(request.path));
    const isExpired = expiresAt !== null && expiresAt <= progress.now;
    if (isExpired) return undefined;
    if (credential?.kind === 'token') return await this.#findMember(credential, progress.now);
    return isPersonal ? undefined : found.caller;
  }

  async #findMember({ value: token }: Credential, now: number): Promise<CredentialedCaller | undefined> {
    const identity = await this.#service.identities.verify(token, now);
    return identity && (await this.#service.store.read((db) => findMember(db, identity)));
  }

  /** Finds the caller of a credential again, without counting a request; undefined when it is no longer valid. */
  async recheck(credential: Credential): Promise<CredentialedCaller | undefined> {
    const { store, realNow } = this.#service;
    if (credential.kind === 'token') {
      const state = await store.read(readState);
      return await this.#findMember(credential, readClock(state, realNow()));
    }
    const { state, caller, expiresAt } = await this.#keys.find(credential.value);
    return expiresAt !== null && expiresAt <= readClock(state, realNow()) ? undefined : caller;
  }

  /** The first request of an invited member on the account makes them active (rule team.15). */
  async #activate(memberId: string, accountId: string, now: number): Promise<void> {
    await this.#service.store.write((db) => activateMember(db, memberId, now), { accounts: [accountId] });
  }

  /** Counts the request for the key and the account. If one of them refuses the request, it counts for neither. */
  async #countRequest(caller: CredentialedCaller, now: number): Promise<Verdict> {
    const { rateLimits } = this.#service;
    const { plan, id } = caller.account;
    const [key, keyLimit] = callerBucket(caller);
    const account = accountBucket(id);
    const ceiling = plan.account_requests_per_minute;
    // Usually this process has already reserved requests for both, and need not wait.
    const heldKey = rateLimits.countHeld(key, keyLimit, now);
    const heldAccount = rateLimits.countHeld(account, ceiling, now);
    const [ofKey, ofAccount] =
      heldKey && heldAccount
        ? [heldKey, heldAccount]
        : await Promise.all([heldKey ?? rateLimits.count(key, keyLimit, now), heldAccount ?? rateLimits.count(account, ceiling, now)]);
    if (ofKey.allowed && !ofAccount.allowed) rateLimits.uncount(key, ofKey);
    if (!ofKey.allowed && ofAccount.allowed) rateLimits.uncount(account, ofAccount);
    return ofKey.allowed && !ofAccount.allowed ? ofAccount : ofKey;
  }
}

/** The 401 for an API key, valid or not, on an endpoint for members. */
function needsMember(): ApiError {
  const message = 'This endpoint is for members of the team: send the ID token of a member; an API key is not accepted';
  return new ApiError(401, message, { reason: 'member_required' });
}

function withoutRoot(path: string): string {
  return path.startsWith(`${apiRoot}/`) ? path.slice(apiRoot.length) : path;
}
