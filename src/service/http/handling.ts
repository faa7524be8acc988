import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../errors.ts';
import { onExisting } from '../identity/deleted-accounts.ts';
import { Batches, type BatchWork } from '../store/batches.ts';
import type { Db } from '../store/database.ts';
import { pageReader } from './cursors.ts';
import { type EndpointGroupOptions, handlerOf } from './endpoint-group.ts';
import type { AccountHandler, PreparedRequest, RequestContext } from './handler.ts';
import { keepAnswers, type Keeping, keepSoFar } from './repeats.ts';

/** The time limit of a write, in milliseconds. After it, the request is answered with 503. */
const writeTimeout = 30_000;

/** What handling a request needs, whoever asks. */
export type HandlingOptions = Pick<EndpointGroupOptions, 'service' | 'handlers' | 'onAnswer'>;

/** Runs the handlers of requests to accounts, once their checks have passed, in the transactions that they need. */
export class Handling {
  readonly #options: HandlingOptions;
  readonly #batches: Batches<Batched, object>;

  constructor(options: HandlingOptions) {
    this.#options = options;
    this.#batches = new Batches(options.service.store, ({ request }) => request.account.id);
  }

  /**
   * What the handler of an endpoint gets.
   * @throws ApiError 400 when the query has a cursor of another list
   */
  request(spec: Endpoint, checked: CheckedRequest): RequestContext<Endpoint> {
    const { service } = this.#options;
    const { account, params, query } = checked;
    const page = pageReader(spec, account.id, params, query, service.cursorSecret);
    const write: RequestContext<Endpoint>['write'] = (work, options) =>
      service.store.write((db) => onExisting(db, [account.id], () => work(db)), { accounts: [account.id], ...options });
    return { service, ...checked, page, write, keep: async () => {} };
  }

  /** Does what an endpoint does before its transaction, if it does anything. */
  async prepare(spec: Endpoint, request: RequestContext<Endpoint>): Promise<PreparedRequest<Endpoint>> {
    return { ...request, prepared: await this.handlerOf(spec).prepare?.(request) };
  }

  handlerOf(spec: Endpoint): AccountHandler<Endpoint> {
    return handlerOf<AccountHandler<Endpoint>>(this.#options.handlers, spec);
  }

  /**
   * Answers a request.
   * @param how.isLarge whether the answer may be large, so that it is made one by one with others
   * @param how.keeping where the answer is kept for repetitions of the request
   */
  async answer(
    spec: Endpoint,
    request: PreparedRequest<Endpoint>,
    how: { readonly isLarge: boolean; readonly keeping?: Keeping | undefined },
  ): Promise<object> {
    const { service, onAnswer } = this.#options;
    const answer = await this.#run(spec, request, how);
    onAnswer?.(spec, answer);
    if (spec.method !== 'GET') {
      service.failpoint('request.committed');
      service.jobs.wake();
    }
    return answer;
  }

  async #run(
    spec: Endpoint,
    request: PreparedRequest<Endpoint>,
    { isLarge, keeping }: { readonly isLarge: boolean; readonly keeping?: Keeping | undefined },
  ): Promise<object> {
    const handler = this.handlerOf(spec);
    if ('answer' in handler) return await (keeping ? this.#answerKeeping(handler.answer, request, keeping) : handler.answer(request));
    if ('handleMany' in handler) return await inTime(this.#batches.run(spec.name, { request, keeping }, keepingMany(handler.handleMany)));
    const handle = async (db: Db) => {
      const answer = await handler({ ...request, db });
      if (keeping) await keepAnswers(db, [{ keeping, answer }]);
      return answer;
    };
    // Reads need no time limit: their queries are bounded, or the database limits their time.
    const { store, scheduler } = this.#options.service;
    const read = () => store.read(handle);
    // Many large answers at once are made one by one, with others served in between.
    if (spec.method === 'GET') return await (isLarge ? scheduler.run(read) : read());
    return await inTime(request.write(handle, handler.accountsOf?.(request)));
  }

  /** Runs a handler with transactions of its own, and keeps its answer, at the latest now. */
  async #answerKeeping(
    handle: (request: PreparedRequest<Endpoint>) => Promise<object>,
    request: PreparedRequest<Endpoint>,
    keeping: Keeping,
  ): Promise<object> {
    let isKept = false;
    const keep = async (db: Db, answer: object) => {
      isKept = true;
      await keepSoFar(db, keeping, answer, this.#options.service.realNow());
    };
    const answer = await handle({ ...request, keep });
    if (!isKept) await request.write((db) => keepAnswers(db, [{ keeping, answer }]));
    return answer;
  }
}

/** A request that has passed the checks. */
type CheckedRequest = Pick<RequestContext<Endpoint>, 'account' | 'caller' | 'now' | 'params' | 'query' | 'body'>;

/** A request that shares its transaction. */
interface Batched {
  readonly request: PreparedRequest<Endpoint>;
  readonly keeping: Keeping | undefined;
}

/** Keeps the answers to the requests of a batch, in its transaction. */
function keepingMany(handleMany: BatchWork<PreparedRequest<Endpoint>, object>): BatchWork<Batched, object> {
  return async (db, batched) => {
    const answers = await handleMany(
      db,
      batched.map(({ request }) => request),
    );
    const kept = batched.flatMap(({ keeping }, index) => {
      const answer = answers[index];
      return keeping && answer && !(answer instanceof ApiError) ? [{ keeping, answer }] : [];
    });
    if (kept.length > 0) await keepAnswers(db, kept);
    return answers;
  };
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ApiError(503, 'The request took too long; the change may still take effect')),
      writeTimeout,
    ).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
