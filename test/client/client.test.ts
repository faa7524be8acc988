import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.ts';
import type { Trace } from '../../src/client/sender.ts';
import { InterfaceError, InvalidParameter, NetworkError, UnexpectedAnswerError } from '../../src/client/errors.ts';
import { remoteTransport } from '../../src/client/remote-transport.ts';
import type { Transport } from '../../src/client/transport.ts';
import { createKey, rotateMainKey } from '../../src/contract/areas/keys/endpoints.ts';
import { streamNotifications } from '../../src/contract/areas/notifications/endpoints.ts';
import { createTag, deleteTag, listTags, updateTag } from '../../src/contract/areas/tags/endpoints.ts';

// A real server whose answers come from the test, so that the client uses real sockets.

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: ReturnType<typeof createServer>;
let origin: string;
let transport: Transport;
let seen: Seen[];
let answers: ((response: ServerResponse, request: IncomingMessage) => void)[];

beforeEach(async () => {
  seen = [];
  answers = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      (answers.shift() ?? json(500, { success: false, error: 'no answer left', error_code: 500 }))(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  transport = await remoteTransport(origin);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const tag = {
  id: 'tag_1',
  name: 'VIP',
  description: null,
  contact_count: 0,
  created_at: '2027-01-01T00:00:00.000Z',
  updated_at: '2027-01-01T00:00:00.000Z',
};

function makeClient(more: Partial<ConstructorParameters<typeof Client>[0]> = {}) {
  const waits: number[] = [];
  const notes: string[] = [];
  const traces: Trace[] = [];
  const client = new Client({
    transport,
    key: 'mk_secret',
    keySource: 'profile',
    userAgent: 'test',
    sleep: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0.5,
    now: () => 0,
    onRetry: ({ reason }) => notes.push(reason),
    onTrace: (trace) => traces.push(trace),
    ...more,
  });
  return { client, waits, notes, traces };
}

const empty = { success: true, tags: [], next_cursor: null };

describe('a call', () => {
  it('sends path, query, body and credential as defined by the contract', async () => {
    answers.push(json(200, { success: true, tag }));
    const { client } = makeClient();
    expect(await client.call(updateTag, { params: { id: 'a/b?c' }, body: { name: 'VIP' } })).toEqual({ tag });
    expect(seen[0]).toMatchObject({ method: 'PUT', url: '/v1/tags/a%2Fb%3Fc', body: '{"name":"VIP"}' });
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer mk_secret', 'content-type': 'application/json', 'user-agent': 'test' });
  });

  it('sends the sub-account in the query or in the body, as defined by the contract', async () => {
    answers.push(json(200, empty), json(201, { success: true, tag }), json(200, { success: true, api_key: 'mk_new', message: 'x' }));
    const { client } = makeClient({ subAccountId: 'acc_1' });
    await client.call(listTags, {});
    await client.call(createTag, { body: { name: 'VIP' } });
    await client.call(rotateMainKey, {});
    expect(seen.map(({ url, body }) => [url, body])).toEqual([
      ['/v1/tags?sub_account_id=acc_1', ''],
      ['/v1/tags', '{"name":"VIP","sub_account_id":"acc_1"}'],
      ['/v1/api-keys/rotate', ''],
    ]);
  });

  it('keeps unknown fields and reports a missing one', async () => {
    answers.push(json(200, { ...empty, later: 1 }), json(200, { success: true, tags: [{ ...tag, name: undefined }], next_cursor: null }));
    const { client } = makeClient();
    expect(await client.call(listTags, {})).toEqual({ tags: [], next_cursor: null, later: 1 });
    await expect(client.call(listTags, {})).rejects.toThrow(/tags\.0\.name/);
  });

  it.each(['', '.', '..'])('rejects the id %j, which would change the path', async (id) => {
    const { client } = makeClient();
    await expect(client.call(deleteTag, { params: { id } })).rejects.toThrow(InvalidParameter);
    expect(seen).toEqual([]);
  });

  it('declares the length of a body in bytes, also with DELETE', async () => {
    answers.push(json(200, {}), json(200, {}));
    for (const method of ['POST', 'DELETE'] as const) await transport.send({ method, path: '/v1/tags', headers: {}, body: '{"name":"Ü"}' });
    expect(seen.map(({ method, headers, body }) => [method, headers['content-length'], headers['transfer-encoding'], body])).toEqual([
      ['POST', '13', undefined, '{"name":"Ü"}'],
      ['DELETE', '13', undefined, '{"name":"Ü"}'],
    ]);
  });

  const large = JSON.stringify({ ...empty, tags: Array.from({ length: 200 }, () => tag) });
  const packed =
    (encoding: string, bytes: Uint8Array, length = bytes.length) =>
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding, 'content-length': length });
      response.write(bytes);
      if (bytes.length === length) response.end();
      else setImmediate(() => response.destroy());
    };

  it('asks for compressed answers, but not on this machine', async () => {
    answers.push(json(200, empty), json(200, empty));
    await transport.send({ method: 'GET', path: '/v1/tags', headers: {} });
    const elsewhere = await remoteTransport(origin.replace('127.0.0.1', '0.0.0.0'));
    await elsewhere.send({ method: 'GET', path: '/v1/tags', headers: {} });
    await elsewhere.close();
    expect(seen.map(({ headers }) => headers['accept-encoding'])).toEqual([undefined, 'br, gzip']);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('reads answers in %s', async (encoding, pack) => {
    answers.push(packed(encoding, pack(large)), packed(encoding, pack(large)));
    const { client } = makeClient();
    for (let count = 0; count < 2; count++) expect((await client.call(listTags, {})).tags).toHaveLength(200);
  });

  it('stops reading an answer that unpacks to more than the limit', async () => {
    answers.push(packed('gzip', gzipSync(Buffer.alloc(3_000_000))));
    const limits = { bytes: 1024 * 1024, milliseconds: 60_000 };
    await expect(transport.send({ method: 'GET', path: '/', headers: {}, answerLimits: limits })).rejects.toMatchObject({
      message: 'the answer is larger than 1 MiB',
      isFinal: true,
    });
  });

  it('reports a compressed answer that is damaged or cut off', async () => {
    const bytes = gzipSync(large);
    answers.push(packed('gzip', Buffer.from('nonsense')), packed('gzip', bytes.subarray(0, 50), bytes.length));
    const send = () => transport.send({ method: 'GET', path: '/', headers: {} });
    await expect(send()).rejects.toThrow('the answer is damaged: it cannot be unpacked');
    await expect(send()).rejects.toThrow('the connection was closed without an answer');
  });

  it('reuses its connection', async () => {
    const ports = new Set<number | undefined>();
    for (let count = 0; count < 5; count++)
      answers.push((response, request) => {
        ports.add(request.socket.remotePort);
        json(200, empty)(response);
      });
    const { client } = makeClient();
    for (let count = 0; count < 5; count++) await client.call(listTags, {});
    await client.close();
    // A second connection may be opened before the first one is known to be idle again.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe('errors', () => {
  it('a service error has all fields of the envelope', async () => {
    answers.push(json(409, { success: false, error: 'taken', error_code: 409, blocking_ids: ['x'] }));
    const error = await makeClient()
      .client.call(createTag, { body: { name: 'x' } })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InterfaceError);
    expect(error).toMatchObject({ message: 'taken', status: 409, errorCode: 409, details: { blocking_ids: ['x'] } });
  });

  it.each([
    [500, { success: false, error: 'failed', error_code: 500 }, true],
    [504, '<html>', true],
    [201, { success: true }, true],
    [503, { success: false, error: 'late', error_code: 503 }, true],
    [409, { success: false, error: 'taken', error_code: 409 }, false],
  ])('a call answered with status %i and %j may have been carried out: %j', async (status, body, maybeDone) => {
    for (let count = 0; count < 4; count++) answers.push(json(status, body));
    const calling = makeClient().client.call(createTag, { body: { name: 'x' } });
    await expect(calling).rejects.toMatchObject({ status, maybeDone });
  });

  it.each([
    ['HTML', 200, '<html>'],
    ['nothing', 502, ''],
    ['another JSON', 400, { message: 'x' }],
    ['a list', 200, []],
  ])('an error reports a response that does not come from the service: %s', async (_name, status, body) => {
    for (let count = 0; count < 4; count++) answers.push(json(status, body));
    await expect(makeClient().client.call(listTags, {})).rejects.toThrow(UnexpectedAnswerError);
  });

  it('an error says which field of an answer does not match the interface', async () => {
    answers.push(json(200, { success: true, tags: 5, next_cursor: null }));
    await expect(makeClient().client.call(listTags, {})).rejects.toThrow('does not match the interface (tags must be a list): ');
  });

  it.each([200, 400, 502])('an error reports a response with status %i that is nested too deeply', async (status) => {
    const deep = `{"success":${status < 400},"error":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (let count = 0; count < 8; count++) answers.push(json(status, deep));
    const { client, traces } = makeClient();
    const call = { method: 'GET', path: '/v1/tags', query: {}, body: {}, endpoint: undefined } as const;
    for (const work of [() => client.call(listTags, {}), () => client.raw(call)])
      await expect(work()).rejects.toThrow(/ answered GET \S+ with JSON that has more than 256 levels$/);
    expect(traces[0]).toMatchObject({ status, answer: undefined });
  });

  it('a network error names the address and the number of attempts', async () => {
    await new Promise((resolve) => server.close(resolve));
    const { client, waits } = makeClient();
    const error = await client.call(listTags, {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NetworkError);
    expect((error as Error).message).toBe(`Cannot reach ${origin} after 4 attempts: the connection was refused: no server listens there`);
    expect(waits).toEqual([250, 500, 1000]);
  });

  it('a network error reports a host name that does not resolve', async () => {
    const { client } = makeClient({ transport: await remoteTransport('http://no-such-host.invalid') });
    await expect(client.call(listTags, {})).rejects.toThrow(/name (does not resolve|cannot be resolved)/);
  });
});

describe('an endless response', () => {
  const limits = { bytes: 1024 * 1024, milliseconds: 200 };
  const get = (answerLimits = limits) => transport.send({ method: 'GET', path: '/v1/tags', headers: {}, answerLimits });

  it('is read only up to the size limit', async () => {
    let sent = 0;
    answers.push((response) => {
      const chunk = Buffer.alloc(256 * 1024, ' ');
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    const reading = get({ ...limits, milliseconds: 60_000 });
    await expect(reading).rejects.toMatchObject({ message: 'the answer is larger than 1 MiB', maybeSent: true, isFinal: true });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('is reported with its limit, also when that is less than a MiB', async () => {
    answers.push((response) => void response.end(Buffer.alloc(200_000, ' ')));
    await expect(get({ ...limits, bytes: 100_000 })).rejects.toMatchObject({ message: 'the answer is larger than 97.7 KiB' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['the body arrives byte by byte', (response) => void response.write(' ')],
    ['early hints are repeated forever', (response) => response.writeEarlyHints({ link: '</style.css>; rel=preload' })],
    ['it never starts', () => {}],
  ])('fails at the deadline if %s', async (_what, drip) => {
    let timer: NodeJS.Timeout | undefined;
    answers.push((response) => (timer = setInterval(() => drip(response), 10)));
    await expect(get()).rejects.toMatchObject({ message: 'no complete answer arrived within 0.2 seconds', isFinal: true });
    clearInterval(timer);
  });

  it('is not requested again', async () => {
    const huge = (response: ServerResponse) => response.end(Buffer.alloc(33 * 1024 * 1024, ' '));
    answers.push(huge, huge);
    const { client } = makeClient();
    await expect(client.call(listTags, {})).rejects.toThrow(`No answer from ${origin}: the answer is larger than 32 MiB`);
    expect(seen).toHaveLength(1);
  });
});

describe('retries', () => {
  const busy = json(503, { success: false, error: 'busy', error_code: 503 });

  it('are made for a GET until it succeeds', async () => {
    answers.push(busy, busy, json(200, empty));
    const { client, notes } = makeClient();
    expect(await client.call(listTags, {})).toEqual({ tags: [], next_cursor: null });
    expect(notes).toEqual(['The service answered 503', 'The service answered 503']);
  });

  const lost = (response: ServerResponse) => void response.socket?.destroy();
  const sent = () => seen.filter(({ method }) => method === 'POST');
  const create = (client: Client) => client.call(createTag, { body: { name: 'x' } });

  it('are never made for a POST that may have been carried out, where keys are not honoured', async () => {
    answers.push(busy, json(200, { success: true }));
    const { client } = makeClient();
    await expect(create(client)).rejects.toMatchObject({ message: 'busy', maybeDone: true });
    answers.push(lost);
    await expect(create(client)).rejects.toMatchObject({
      message: expect.stringContaining('closed without an answer') as string,
      maybeDone: true,
    });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /v1/tags', 'GET /v1/health', 'POST /v1/tags']);
  });

  describe('of a POST with a key that the service honours', () => {
    const echoing =
      (status: number, body: unknown, headers: Record<string, string> = {}) =>
      (response: ServerResponse, request: IncomingMessage) =>
        json(status, body, { 'idempotency-key': String(request.headers['idempotency-key']), ...headers })(response);
    const health = echoing(200, { success: true });

    it('repeat it with the same key after a lost connection, and ask for the health only then', async () => {
      answers.push(lost, health, echoing(201, { success: true, tag }, { 'idempotency-replayed': 'true' }));
      const { client } = makeClient();
      expect(await create(client)).toEqual({ tag });
      const keys = sent().map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([keys[0], keys[0]]);
      answers.push(echoing(201, { success: true, tag }), lost, echoing(201, { success: true, tag }));
      await create(client);
      await create(client);
      expect(seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
      expect(new Set(sent().map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
    });

    it('go on while the service is away', async () => {
      answers.push(lost, lost, lost, lost, health, echoing(201, { success: true, tag }));
      const { client, waits } = makeClient();
      expect(await create(client)).toEqual({ tag });
      expect(waits).toEqual([250, 500, 1000, 2000]);
    });

    it('wait while the first is still at work', async () => {
      const atWork = echoing(409, { success: false, error: 'at work', error_code: 409 }, { 'retry-after': '1' });
      answers.push(lost, health, ...Array.from({ length: 20 }, () => atWork), echoing(201, { success: true, tag }));
      const { client, waits } = makeClient();
      expect(await create(client)).toEqual({ tag });
      expect(waits).toEqual([250, ...Array.from({ length: 20 }, () => 1125)]);
    });

    it('end with a refusal that says that nothing was done', async () => {
      answers.push(lost, health, echoing(409, { success: false, error: 'taken', error_code: 409 }));
      await expect(create(makeClient().client)).rejects.toMatchObject({ status: 409, maybeDone: false });
    });

    it.for([400, 401, 403])('end with a %d that says nothing of the first attempt', async (status) => {
      answers.push(lost, health, echoing(status, { success: false, error: 'no', error_code: status }));
      await expect(create(makeClient().client)).rejects.toMatchObject({ status, maybeDone: true });
    });
  });

  it('carry a key on each POST, and on nothing else', async () => {
    answers.push(json(201, { success: true, tag }), json(200, empty), json(200, { success: true, tag }));
    const { client } = makeClient();
    await create(client);
    await client.call(listTags, {});
    await client.call(updateTag, { params: { id: 'tag_1' }, body: { name: 'x' } });
    expect(seen.map(({ headers }) => headers['idempotency-key'] !== undefined)).toEqual([true, false, false]);
  });

  it('are made for a GET whose connection broke', async () => {
    answers.push((response) => response.socket?.destroy(), json(200, empty));
    await makeClient().client.call(listTags, {});
    expect(seen).toHaveLength(2);
  });

  it('wait as long as a 429 response asks, also for a POST', async () => {
    answers.push(
      json(429, { success: false, error: 'slow down', error_code: 429 }, { 'retry-after': '3' }),
      json(201, { success: true, tag }),
    );
    const { client, waits, notes } = makeClient();
    await client.call(createTag, { body: { name: 'x' } });
    expect(waits).toEqual([3125]);
    expect(notes).toEqual(['The rate limit is used up']);
  });

  it('are not made when the wait is too long or the clock is frozen', async () => {
    const limited = (headers: Record<string, string>) => json(429, { success: false, error: 'slow down', error_code: 429 }, headers);
    answers.push(limited({ 'retry-after': '61' }), limited({ 'retry-after': '5', 'sandbox-clock': 'frozen' }));
    const { client, waits } = makeClient();
    for (let count = 0; count < 2; count++) await expect(client.call(listTags, {})).rejects.toMatchObject({ status: 429 });
    expect(waits).toEqual([]);
  });
});

describe('pages', () => {
  const page = (count: number, next: string | null) =>
    json(200, { success: true, tags: Array.from({ length: count }, () => tag), next_cursor: next });

  it('are read until there are no more', async () => {
    answers.push(page(100, 'c1'), page(100, 'c2'), page(3, null));
    let rows = 0;
    for await (const each of makeClient().client.pages(listTags, {})) rows += each.rows.length;
    expect(rows).toBe(203);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/tags?limit=100', '/v1/tags?limit=100&cursor=c1', '/v1/tags?limit=100&cursor=c2']);
  });

  it('are read up to the limit', async () => {
    answers.push(page(100, 'c1'), page(50, 'c2'));
    const cursors = [];
    for await (const { next_cursor } of makeClient().client.pages(listTags, { query: { cursor: 'c0' } }, 150)) cursors.push(next_cursor);
    expect(cursors).toEqual(['c1', 'c2']);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/tags?cursor=c0&limit=100', '/v1/tags?cursor=c1&limit=50']);
  });
});

it('the client traces requests with their secrets masked', async () => {
  answers.push(
    json(201, {
      success: true,
      api_key: 'sk_secret',
      message: 'sk_secret',
      key: {
        id: 'key_1',
        label: 'x',
        key_preview: 'sk_s...cret',
        scopes: { read_only: true, tags: [], sub_account_ids: [], rate_limit_per_min: 60 },
        expires_at: null,
        revoked: false,
      },
    }),
  );
  const { client, traces } = makeClient();
  await client.call(createKey, { body: { label: 'x' } });
  expect(traces).toMatchObject([
    { method: 'POST', path: '/v1/api-keys', body: { label: 'x' }, status: 201, answer: { api_key: '********' } },
  ]);
  expect(JSON.stringify(traces)).not.toContain('mk_secret');
});

describe('a stream of events', () => {
  const said = (id: string) => `id: ${id}\nevent: notification\ndata: {"id":"${id}"}\n\n`;
  const stream =
    (text: string, end: (response: ServerResponse) => void = () => {}) =>
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text, () => end(response));
    };

  /** Reads the first events, and what the client waited. */
  async function readEvents(count: number) {
    const { client, waits } = makeClient();
    const stop = new AbortController();
    const ids: string[] = [];
    let begun = 0;
    const following = { until: stop.signal, resumeAfter: 'ntf_0', onBegin: () => void begun++ };
    for await (const { id } of client.events(streamNotifications, {}, following)) if (ids.push(id) === count) stop.abort();
    return { ids, begun, waits, lasts: seen.map(({ url, headers }) => headers['last-event-id'] ?? url.split('?')[1]) };
  }

  it('goes on where it was when the connection is lost, also before the first event', async () => {
    answers.push(
      stream(':\n\n', (response) => response.destroy()),
      stream(said('ntf_1'), (response) => response.destroy()),
      stream(said('ntf_2')),
    );
    expect(await readEvents(2)).toMatchObject({ ids: ['ntf_1', 'ntf_2'], begun: 1, lasts: [undefined, 'ntf_0', 'ntf_1'] });
  });

  it('waits for a service that fails or asks to wait, once it has begun', async () => {
    answers.push(
      stream(said('ntf_1'), (response) => response.end()),
      json(503, { success: false, error: 'starting', error_code: 503 }),
      json(429, { success: false, error: 'slow down', error_code: 429 }, { 'retry-after': '7' }),
      stream(said('ntf_2')),
    );
    expect(await readEvents(2)).toMatchObject({ ids: ['ntf_1', 'ntf_2'], waits: [1_000, 1_000, 7_000] });
  });

  it('is refused when it cannot begin, or may not go on', async () => {
    answers.push(json(503, { success: false, error: 'starting', error_code: 503 }));
    await expect(readEvents(1)).rejects.toThrow(InterfaceError);
    answers.push(
      stream(said('ntf_1'), (response) => response.end()),
      json(401, { success: false, error: 'gone', error_code: 401 }),
    );
    await expect(readEvents(2)).rejects.toThrow('gone');
  });
});
