import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ConnectionDropped } from '../../../src/service/errors.ts';
import { listen } from '../../../src/service/http/server.ts';

it('each of many concurrent requests gets its own response, even if one response cannot be written', async () => {
  const errors: unknown[] = [];
  const server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: (error) => errors.push(error) });
  server.answerWith(async ({ path }) => ({
    status: 200,
    headers: { 'x-path': path === '/7' ? 'a\nb' : path },
    body: [`answer to ${path}`],
  }));
  const answers = await Promise.allSettled(
    Array.from({ length: 100 }, async (_, number) => await (await fetch(`${server.origin}/${number}`)).text()),
  );
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'closed'))).toEqual(
    Array.from({ length: 100 }, (_, number) => (number === 7 ? 'closed' : `answer to /${number}`)),
  );
  expect(errors).toMatchObject([{ code: 'ERR_INVALID_CHAR' }]);
  await server.close(0);
});

it('responses to earlier requests are sent before a later one drops the connection', async () => {
  const server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  server.answerWith(async ({ path }) => {
    if (path === '/drop') throw new ConnectionDropped();
    return { status: 200, headers: {}, body: [`answer to ${path}`] };
  });
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  const received = text(socket);
  socket.write(['/first', '/drop'].map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
  expect(await received).toContain('answer to /first');
  await server.close(0);
});

it('the pieces of a large response are written in order, and nothing of it for HEAD', async () => {
  const pieces = Array.from({ length: 40 }, (_, number) => `${number}:${'é'.repeat(200_000)};`);
  const server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  server.answerWith(async () => ({ status: 200, headers: {}, body: pieces }));
  const response = await fetch(server.origin, { headers: { 'accept-encoding': 'identity' } });
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(pieces.join(''))));
  expect((await response.text()) === pieces.join('')).toBe(true);
  const head = await fetch(server.origin, { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual([response.headers.get('content-length'), '']);
  await server.close(0);
});
