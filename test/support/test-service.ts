import { expect } from 'vitest';
import { answerSchema, type Endpoint } from '../../src/contract/endpoint.ts';
import { errorEnvelope, reasons } from '../../src/contract/errors.ts';
import { type ApiResponse, bodyTooLarge, makeRequest } from '../../src/service/http/request.ts';
import { type OpenService, openService, type ServiceOptions } from '../../src/service/service.ts';
import type { Db } from '../../src/service/store/database.ts';
import { makeMigratedDatabase, type TestDatabase } from './stores.ts';

/** The time at which the tests' clock starts. */
export const epoch = Date.parse('2027-03-01T12:00:00.000Z');

/** The parsed response to a call. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  readonly body: any;
}

interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** The raw body to send instead of a JSON body. */
  readonly raw?: string | Uint8Array;
}

/** A service in this process that is called as by a server. Every response is checked against the contract. */
export class TestService {
  readonly database: TestDatabase;
  readonly service: OpenService;
  readonly errors: unknown[];
  readonly clock: { now: number };
  /** The id and main key of the first account, and the sandbox token. */
  accountId: string;
  key: string;
  readonly token: string;

  private constructor(database: TestDatabase, service: OpenService, errors: unknown[], clock: { now: number }, known?: TestService) {
    this.database = database;
    this.service = service;
    this.errors = errors;
    this.clock = clock;
    this.accountId = service.accountId;
    this.key = service.newStore?.apiKey ?? known?.key ?? '';
    this.token = service.newStore?.sandboxToken ?? known?.token ?? '';
  }

  static async open(options: Partial<ServiceOptions> = {}): Promise<TestService> {
    return await TestService.on(await makeMigratedDatabase(), options);
  }

  /** Opens another service on a database, as another process would. */
  static async on(database: TestDatabase, options: Partial<ServiceOptions> = {}, beside?: TestService): Promise<TestService> {
    const errors: unknown[] = [];
    const clock = beside?.clock ?? { now: epoch };
    const service = await openService({
      store: await database.open(),
      version: 'test',
      realNow: () => clock.now,
      onError: (error) => errors.push(error),
      onAnswer: expectContract,
      receivers: { allowPrivate: true },
      ...options,
    });
    return new TestService(database, service, errors, clock, beside);
  }

  async call(method: string, target: string, body?: unknown, { key = this.key, headers = {}, raw }: CallOptions = {}): Promise<Answer> {
    const bytes = Buffer.from(raw ?? (body === undefined ? '' : JSON.stringify(body)));
    const sent: Record<string, string> = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(bytes.length > 0 && { 'content-length': String(bytes.length) }),
      ...headers,
    };
    const response = await this.service.fetch(
      makeRequest({
        method,
        target,
        header: (name) => sent[name],
        readBody: async (maxBytes) => {
          if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
          return bytes;
        },
      }),
    );
    if (response.stream) {
      response.stream.end();
      return { status: response.status, headers: response.headers, body: {} };
    }
    return expectEnvelope(response);
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', `/v1${path}`, undefined, options);
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('POST', `/v1${path}`, body, options);
  }

  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PUT', `/v1${path}`, body, options);
  }

  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PATCH', `/v1${path}`, body, options);
  }

  delete(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('DELETE', `/v1${path}`, undefined, options);
  }

  /** Calls the sandbox. */
  sandbox(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call(method, `/sandbox${path}`, body, { key: this.token, ...options });
  }

  /** Lifts the rate limits of an account, for tests of other features. */
  async liftLimits(accountId = this.accountId): Promise<void> {
    const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
    expect((await this.sandbox('PATCH', `/accounts/${accountId}`, { plan })).status).toBe(200);
  }

  /** Creates an account. Returns its id and key. */
  async makeAccount(body: Record<string, unknown> = {}): Promise<{ account_id: string; api_key: string }> {
    const answer = await this.sandbox('POST', '/accounts', { name: 'Test account', kind: 'standard', ...body });
    expect(answer.status).toBe(201);
    return answer.body as { account_id: string; api_key: string };
  }

  /** Creates a new account for a test. Subsequent calls use it. */
  async freshAccount(body: Record<string, unknown> = {}): Promise<void> {
    const { account_id, api_key } = await this.makeAccount(body);
    this.accountId = account_id;
    this.key = api_key;
    await this.liftLimits();
  }

  /** Signs a user in. Returns the ID token. */
  async signIn(permissions: string[], more: Record<string, unknown> = {}, accountId = this.accountId): Promise<string> {
    const email = `person${Math.random().toString(36).slice(2)}@test.example`;
    const answer = await this.sandbox('POST', `/accounts/${accountId}/members`, { name: 'A person', email, permissions, ...more });
    expect(answer.status).toBe(201);
    return (answer.body as { id_token: string }).id_token;
  }

  /** Writes to the store, for records that the API cannot create. */
  async write<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    const store = await this.database.open();
    try {
      return await store.write(work);
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.database.remove();
  }
}

/**
 * Compares a success response with the contract: it must have all fields, no others, and in the contract's order. Faults are
 * listed as they were given.
 */
function expectContract(spec: Endpoint, answer: unknown): void {
  const parsed = answerSchema(spec).parse(answer);
  if (spec.access === 'public' || spec.name.startsWith('sandbox.faults.')) return;
  expect(JSON.stringify(answer, null, 1), `the answer of ${spec.name}`).toBe(JSON.stringify(parsed, null, 1));
}

/** Checks an error: its envelope, that its reason is a known one, and that it has the field that its text begins with. */
function expectError(body: Record<string, unknown>): void {
  const { error, error_code, reason, field } = errorEnvelope().parse(body);
  if (reason !== undefined && !reason.endsWith('_not_found')) expect(Object.keys(reasons)).toContain(reason);
  const [, path] = /^([\w.]+): /.exec(error) ?? [];
  if (error_code === 400 && path !== undefined && field === undefined) expect(['body', 'query'], error).toContain(path);
  if (error_code === 400 && field !== undefined) expect(error.startsWith(`${field}: `), `${field} in ${error}`).toBe(true);
}

function expectEnvelope(response: ApiResponse): Answer {
  // A redirect has no body: a malformed request may have created the link that a later one follows.
  if (response.status === 302) {
    expect(response.body).toEqual([]);
    return { status: response.status, headers: response.headers, body: {} };
  }
  const body = JSON.parse(response.body.join('')) as Record<string, unknown>;
  if (response.status >= 400) expectError(body);
  return { status: response.status, headers: response.headers, body };
}
