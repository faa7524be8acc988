import { type Caller as Calls, type CallInput, RefusedCall, type RowOf, UnansweredCall } from '../../contract/call.ts';
import { type Answer, type Endpoint, schemaOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { ApiError } from '../errors.ts';
import type { Account } from '../identity/accounts.ts';
import type { Caller } from '../identity/caller.ts';
import { readNow } from '../clock/state.ts';
import type { Db } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { checkAllowed } from './checks.ts';
import type { Service } from './handler.ts';
import { Handling, type HandlingOptions } from './handling.ts';
import { checkParams } from './input.ts';
import { parseWith } from './validation.ts';

declare module '../parts.ts' {
  interface Parts {
    /** Calls the interface for an account, as its main key would. */
    readonly callsFor: (account: Account) => Calls;
    /** Reads an account through the interface at one moment: that of a snapshot of the store. */
    readonly readsAt: (account: Account, db: Db) => Calls;
  }
}

/** The input of a call to any endpoint. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Calls the handlers of an account without HTTP: no credential, no rate limit, no log, but the same checks of plan, shape and
 * records. What speaks to the interface on the other side of the wire, such as account as code, so runs in the service.
 */
export class InternalCalls implements Calls {
  readonly #service: Service;
  readonly #handling: Handling;
  readonly #caller: Caller;

  constructor(service: Service, handling: Handling, account: Account) {
    this.#service = service;
    this.#handling = handling;
    this.#caller = { kind: 'service', account };
  }

  async call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<E>> {
    try {
      const answer = await this.#answer(endpoint, input);
      // The answer is as it would arrive: without undefined fields, and nothing in it is shared with the service.
      return JSON.parse(JSON.stringify(answer)) as Answer<E>;
    } catch (error) {
      // The service is stopping, overloaded or at fault: nobody knows whether the call was carried out.
      if (!(error instanceof ApiError) || error.status >= 500) throw new UnansweredCall('The service failed', { cause: error });
      const { status, errorCode, details, message } = error;
      throw new RefusedCall(message, { status, errorCode, reason: details.reason });
    }
  }

  async exists<E extends Endpoint>(endpoint: E, input: Pick<CallInput<E>, 'params'>): Promise<boolean> {
    try {
      await this.call(endpoint, input as CallInput<E>);
      return true;
    } catch (error) {
      if (error instanceof RefusedCall) return false;
      throw error;
    }
  }

  async *pages<E extends Endpoint>(endpoint: E, input: CallInput<E>, limit = Infinity): AsyncGenerator<{ rows: RowOf<E>[] }> {
    let cursor: string | null | undefined;
    for (let left = limit; left > 0 && cursor !== null;) {
      const query = { ...(input as AnyInput).query, limit: Math.min(limits.pageSizeMax, left), ...(cursor !== undefined && { cursor }) };
      const answer = (await this.call(endpoint, { ...input, query } as unknown as CallInput<E>)) as Record<string, unknown>;
      const rows = (answer[endpoint.rows ?? ''] as RowOf<E>[]).slice(0, left);
      left -= rows.length;
      cursor = (answer.next_cursor as string | null | undefined) ?? null;
      yield { rows };
    }
  }

  async all<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<RowOf<E>[]> {
    const rows: RowOf<E>[] = [];
    for await (const page of this.pages(endpoint, input)) rows.push(...page.rows);
    return rows;
  }

  async #answer(spec: Endpoint, input: object): Promise<object> {
    const { params = {}, query = {}, body = {} } = input as AnyInput;
    const { store, realNow } = this.#service;
    const sent = JSON.parse(JSON.stringify(body)) as object;
    checkAllowed(spec, this.#caller, this.#caller.account, sent);
    const request = this.#handling.request(spec, {
      account: this.#caller.account,
      caller: this.#caller,
      now: await store.read((db) => readNow(db, realNow())),
      params: checkParams(params),
      query: spec.query ? parseWith(schemaOf(spec.query), textsOf(query), 'query') : {},
      body: spec.body ? parseWith(schemaOf(spec.body), sent, 'body') : {},
    });
    return await this.#handling.answer(spec, await this.#handling.prepare(spec, request), { isLarge: false });
  }
}

/** Calls that read an account from a snapshot of the store. */
export function callsOnSnapshot({ service, handlers }: HandlingOptions, account: Account, db: Db): InternalCalls {
  const store: Store = {
    engine: service.store.engine,
    read: (work) => work(db),
    snapshot: (work) => work(db),
    write: () => Promise.reject(new Error('A snapshot of the store is only read')),
    version: () => null,
    refresh: () => {},
    close: async () => {},
  };
  const frozen = { ...service, store };
  return new InternalCalls(frozen, new Handling({ service: frozen, handlers }), account);
}

/** A query as it arrives: texts, with commas between the items of lists. */
function textsOf(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]));
}
