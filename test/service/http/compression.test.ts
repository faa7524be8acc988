import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, type Server } from '../../../src/service/http/server.ts';

let server: Server;

/** The pieces of the answer to a path such as `/5000`. */
let pieces: (path: string) => readonly string[];

beforeAll(async () => {
  server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  server.answerWith(async ({ path }) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: pieces(path) }));
  pieces = (path) => ['x'.repeat(Number(path.slice(1)))];
});

afterAll(() => server.close(0));

interface Answer {
  readonly encoding: string | undefined;
  readonly vary: string | undefined;
  readonly length: number;
  readonly bytes: Buffer;
}

/** Sends a request, and returns the answer as it was sent. */
const ask = (path: string, accepted?: string, method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    request(`${server.origin}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { vary } = response.headers;
        const bytes = Buffer.concat(chunks);
        resolve({ encoding: response.headers['content-encoding'], vary, length: Number(response.headers['content-length']), bytes });
      });
    })
      .on('error', reject)
      .end();
  });

const unpack = ({ encoding, bytes }: Answer) =>
  encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;

// Proves rule conventions.93.
describe('answers above 4 KiB', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['deflate, zstd', undefined],
    ['gzip;q=nonsense', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('are sent to a client that accepts %j as %j', async (accepted, encoding) => {
    const answer = await ask('/5000', accepted);
    expect(answer).toMatchObject({ encoding, vary: 'Accept-Encoding', length: answer.bytes.length });
    expect(unpack(answer).toString()).toBe('x'.repeat(5000));
    expect(answer.bytes.length < 5000).toBe(encoding !== undefined);
  });

  it.each([4097, 32 * 1024, 32 * 1024 + 1, 460_000, 8_000_000])('are compressed whatever their size: %i bytes', async (size) => {
    for (const encoding of ['br', 'gzip']) {
      const answer = await ask(`/${size}`, encoding);
      expect(answer.encoding).toBe(encoding);
      expect(unpack(answer).toString() === 'x'.repeat(size)).toBe(true);
    }
  });

  it('are compressed in pieces, with characters of several bytes', async () => {
    const texts = Array.from({ length: 5 }, (_, index) => `${index}äöü😀`.repeat(20_000));
    pieces = () => texts;
    for (const encoding of ['br', 'gzip']) expect(unpack(await ask('/1', encoding)).toString() === texts.join('')).toBe(true);
    pieces = () => ['ä'.repeat(2_049)];
    expect((await ask('/1', 'gzip')).encoding).toBe('gzip');
    pieces = (path) => ['x'.repeat(Number(path.slice(1)))];
  });

  it('are sent in the order of the requests of a connection', async () => {
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    const sizes = [2_000_000, 10, 50_000, 5_000];
    socket.write(
      sizes
        .map(
          (size, index) => `GET /${size} HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n${index === 3 ? 'connection: close\r\n' : ''}\r\n`,
        )
        .join(''),
    );
    let rest = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>));
    for (const size of sizes) {
      const end = rest.indexOf('\r\n\r\n') + 4;
      const head = rest.subarray(0, end).toString();
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      const body = rest.subarray(end, end + length);
      expect((/content-encoding: gzip/i.test(head) ? gunzipSync(body) : body).length).toBe(size);
      rest = rest.subarray(end + length);
    }
  });
});

// Proves rule conventions.93.
it('answers up to 4 KiB, and those to HEAD, are not compressed', async () => {
  expect(await ask('/4096', 'gzip, br')).toMatchObject({ encoding: undefined, vary: undefined, length: 4096 });
  expect(await ask('/5000', 'gzip, br', 'HEAD')).toMatchObject({ encoding: undefined, vary: 'Accept-Encoding', length: 5000 });
});

it('event streams are not compressed', async () => {
  const streams = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  streams.answerWith(async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: ['x'.repeat(5_000)] }));
  const response = await fetch(streams.origin);
  expect([response.headers.get('content-encoding'), (await response.text()).length]).toEqual([null, 5_000]);
  await streams.close(0);
});
