import { readFileSync, writeFileSync } from 'node:fs';
import { apiRoot, sandboxRoot } from '../contract/endpoint.ts';
import { serve } from '../service/serve.ts';
import { version } from '../version.ts';
import type { Answer, Service, ServiceError, ServiceOptions } from './types.ts';

/** An answer, or a record in it. */
type Row = Record<string, unknown>;

/** The service refused a call. See `ServiceError`. */
class Refused extends Error implements ServiceError {
  readonly status: number;
  readonly answer: Answer;

  constructor(call: string, status: number, answer: Row) {
    super(`${call} was answered ${status}: ${typeof answer.error === 'string' ? answer.error : 'no message'}`);
    this.name = 'ServiceError';
    this.status = status;
    this.answer = answer;
  }
}

/**
 * Starts the service in this process, in memory, on a port of 127.0.0.1.
 * @throws TypeError if there is a seed without a clock, or the clock is no instant
 * @throws Error if the port cannot be used
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { seed, port = 0, demo = false, allowPrivateReceivers = false, onError = throwLater } = options;
  const clock = options.clock === undefined ? undefined : new Date(options.clock).getTime();
  if (Number.isNaN(clock)) throw new TypeError(`clock: ${String(options.clock)} is no instant`);
  if (seed !== undefined && clock === undefined) throw new TypeError('seed needs clock, because ids carry the time');
  const server = await serve({
    host: '127.0.0.1',
    port,
    exposeSandbox: false,
    prepareStore: () => {},
    database: ':memory:',
    version,
    sandboxToken: undefined,
    clock,
    seed,
    identityProvider: undefined,
    receivers: { allowPrivate: allowPrivateReceivers || 'loopback' },
    retention: {},
    demo,
    onRequest: () => {},
    onError,
  });
  const url = server.origin + apiRoot;
  const sandboxUrl = server.origin + sandboxRoot;
  const { apiKey, sandboxToken } = server.newStore as NonNullable<typeof server.newStore>;
  const access = { apiKey, accountId: server.accountId };
  const control = async (method: string, path: string, body?: object) => await send(sandboxUrl, sandboxToken, method, path, body);
  const ofAccount = (path: string) => `/accounts/${access.accountId}${path}`;
  const instantOf = (at: string | Date) => (typeof at === 'string' ? at : at.toISOString());
  let closed: Promise<void> | undefined;
  const close = async () => await (closed ??= server.close());
  return {
    url,
    get apiKey() {
      return access.apiKey;
    },
    get accountId() {
      return access.accountId;
    },
    sandboxUrl,
    sandboxToken,
    clock: {
      now: async () => new Date((await control('GET', '/clock')).now as string),
      freeze: async (at) => void (await control('POST', '/clock', { frozen: true, ...(at !== undefined && { now: instantOf(at) }) })),
      advance: async (seconds) => void (await control('POST', '/clock/advance', { seconds })),
      run: async () => void (await control('POST', '/clock', { frozen: false })),
    },
    call: async (method, path, body, key = access.apiKey) => await send(url, key, method, path, body),
    control,
    settle: async () => void (await control('POST', '/settle')),
    reset: async () => {
      const { account_id, api_key } = (await control('POST', '/reset')) as { account_id: string; api_key: string };
      Object.assign(access, { accountId: account_id, apiKey: api_key });
    },
    createAccount: async (account = {}) =>
      (await control('POST', '/accounts', { name: 'Test', kind: 'standard', ...account })) as { account_id: string; api_key: string },
    updateAccount: async (changes, accountId = access.accountId) => await control('PATCH', `/accounts/${accountId}`, changes),
    addMember: async (member) => await control('POST', ofAccount('/members'), member),
    addChannel: async (channel, identity) => await control('POST', ofAccount('/channels'), { channel, identity }),
    receive: async (message) => await control('POST', ofAccount('/inbound'), message),
    ask: async (agentId, question) => await control('POST', ofAccount('/ask'), { agent_id: agentId, question }),
    reportDelivery: async (messageId, status) => await control('POST', ofAccount('/receipts'), { message_id: messageId, status }),
    reviewTemplate: async (templateId, outcome, reason) =>
      await control('POST', ofAccount(`/templates/${templateId}/review`), { outcome, ...(reason !== undefined && { reason }) }),
    emit: async (event, data) => await control('POST', ofAccount('/events'), { event, ...(data && { data }) }),
    deliveries: async () => await allOf(control, '/deliveries', 'deliveries'),
    requests: async () => await allOf(control, '/requests', 'requests'),
    addFault: async (fault) => await control('POST', '/faults', fault),
    clearFaults: async () => void (await control('DELETE', '/faults')),
    holdJobs: async (kinds) => await control('POST', '/jobs', { hold: kinds }),
    save: async (file) => writeFileSync(file, Buffer.from((await control('GET', '/store')).store as string, 'base64'), { mode: 0o600 }),
    load: async (file) => {
      const { account_id } = await send(sandboxUrl, sandboxToken, 'POST', '/store', readFileSync(file));
      access.accountId = account_id as string;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** All rows of a list. */
async function allOf(control: (method: string, path: string) => Promise<Row>, path: string, field: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ;) {
    const answer = await control('GET', `${path}?limit=100${cursor}`);
    rows.push(...(answer[field] as Row[]));
    if (answer.next_cursor === null) return rows;
    cursor = `&cursor=${encodeURIComponent(answer.next_cursor as string)}`;
  }
}

async function send(root: string, key: string, method: string, path: string, body?: object): Promise<Row> {
  const response = await fetch(root + path, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body && { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as Row;
  if (!response.ok) throw new Refused(`${method} ${path}`, response.status, answer);
  return answer;
}

/** An error that nobody catches, so that the test runner reports it. */
function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
