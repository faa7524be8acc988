import { connect } from 'node:net';
import { expect, it as plainIt } from 'vitest';
import { it } from '../../support/service-test.ts';
import { startServer } from '../../support/server.ts';

// Proves rule conventions.94.
it.for([
  ['/v1/tags', undefined],
  ['/v1/tags', 'sk_wrong'],
  ['/v1/nowhere', undefined],
  ['/v1/openapi.json', null],
  ['/v1/health', null],
  ['/sandbox/clock', null],
  ['/sandbox/nowhere', null],
  ['/l/nowhere', null],
  ['/b/nowhere', null],
  ['/nowhere', null],
] as const)('every answer has the id of its request: %s with the key %s', async ([target, key], { service }) => {
  const own = '!~' + 'x'.repeat(126);
  const idFor = async (id?: string) =>
    (await service.call('GET', target, undefined, { key, headers: id === undefined ? {} : { 'x-request-id': id } })).headers[
      'x-request-id'
    ];
  const made = [await idFor(), await idFor(), await idFor(''), await idFor(`${own}x`), await idFor('two words'), await idFor('caf\u00e9')];
  for (const id of made) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  expect(new Set(made).size).toBe(made.length);
  expect([await idFor(own), await idFor('1')]).toEqual([own, '1']);
});

// Proves rule conventions.94.
it('the request log has the ids, without secrets', async ({ service }) => {
  const idOf = async (target: string, id: string) => await service.call('GET', target, undefined, { headers: { 'x-request-id': id } });
  const { headers } = await service.get('/tags');
  await idOf('/v1/nowhere', 'mine');
  await idOf('/l/nowhere', 'page');
  await idOf('/v1/tags', service.key ?? '');
  const { body } = await service.sandbox('GET', '/requests?limit=4');
  expect(body.requests.map((request: { request_id: string }) => request.request_id)).toEqual([
    '********',
    'page',
    'mine',
    headers['x-request-id'],
  ]);
});

// Proves rule conventions.94.
plainIt('a request that is not valid HTTP, or that the server itself refuses, is answered with an id', async () => {
  const server = await startServer();
  const answerTo = async (text: string) =>
    await new Promise<string>((resolve) => {
      const client = connect(Number(new URL(server.origin).port), '127.0.0.1', () => client.write(text));
      let answer = '';
      client.on('data', (chunk) => void (answer += chunk.toString()));
      client.on('close', () => resolve(/x-request-id: (.*)\r/i.exec(answer)?.[1] ?? answer));
    });
  const own = 'X-Request-Id: mine\r\n';
  try {
    const answers = [
      'nonsense\r\n\r\n',
      `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      `POST /v1/tags HTTP/1.1\r\n${own}expect: other\r\nconnection: close\r\n\r\n`,
      `CONNECT x:443 HTTP/1.1\r\n${own}\r\n`,
      `GET /v1/tags HTTP/1.1\r\n${own}connection: close\r\n\r\n`,
    ];
    const id = expect.stringMatching(/^req_[0-9a-f]{32}$/) as unknown;
    expect(await Promise.all(answers.map(answerTo))).toEqual([id, id, 'mine', 'mine', 'mine']);
  } finally {
    await server.close();
  }
});
