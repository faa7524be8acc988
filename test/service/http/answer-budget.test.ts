import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { AnswerBudget } from '../../../src/service/http/answer-budget.ts';
import { listen, type Server } from '../../../src/service/http/server.ts';

const MiB = 1024 * 1024;
const spec = (name: string) => endpoints.find((each) => each.name === name) as Endpoint;
const list = spec('contacts.list');
const record = spec('contacts.get');

/** Whether a request for an answer has to wait. */
async function waits(entering: Promise<unknown>): Promise<boolean> {
  const entered = entering.then(
    () => false,
    () => false,
  );
  return await Promise.race([entered, new Promise<boolean>((resolve) => setImmediate(() => setImmediate(() => resolve(true))))]);
}

// Proves rules conventions.87, conventions.88.
it('an answer counts what it holds until it is sent, and an account leaves a quarter to others', async () => {
  const budget = new AnswerBudget(64 * MiB);
  const large = await budget.enter('one', record);
  large.weigh(40 * MiB);
  const second = await budget.enter('one', record);
  second.weigh(9 * MiB);
  const third = budget.enter('one', record);
  expect(await waits(third)).toBe(true);
  const other = await budget.enter('two', record);
  other.weigh(10 * MiB);
  large.leave();
  large.leave();
  expect(await waits(third)).toBe(false);
  for (const place of [second, other, await third]) place.leave();
  (await budget.enter('one', record)).weigh(63 * MiB);
});

it('until its rows are read, an answer counts what the largest recent one of its kind did', async () => {
  const budget = new AnswerBudget(64 * MiB);
  const first = await budget.enter('one', list);
  first.weigh(30 * MiB);
  first.leave();
  // A small one in between does not make the budget forget.
  const small = await budget.enter('one', list);
  small.weigh(100);
  small.leave();
  const places = [await budget.enter('one', list), await budget.enter('one', list)];
  const third = budget.enter('one', list);
  expect(await waits(third)).toBe(true);
  for (const place of places) place.weigh(100);
  for (const place of places) place.leave();
  expect(await waits(third)).toBe(false);
  // What is not known to be small counts 4 MiB.
  const unknown = new AnswerBudget(64 * MiB);
  for (let number = 0; number < 12; number++) await unknown.enter('one', spec('routing.listRules'));
  expect(await waits(unknown.enter('one', spec('routing.listRules')))).toBe(true);
});

it('an account that holds nothing is let in while others hold more than the budget, up to four times as much', async () => {
  const budget = new AnswerBudget(64 * MiB);
  for (const account of ['one', 'two', 'three']) {
    const place = await budget.enter(account, record);
    place.weigh(80 * MiB);
  }
  expect(await waits(budget.enter('one', record))).toBe(true);
  (await budget.enter('four', record)).weigh(20 * MiB);
  expect(await waits(budget.enter('five', record))).toBe(true);
});

it('a request that waits for too long is refused with 503 and Retry-After', async () => {
  const budget = new AnswerBudget(MiB, 10);
  const place = await budget.enter('one', record);
  place.weigh(4 * MiB);
  await expect(budget.enter('two', record)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  place.leave();
  (await budget.enter('two', record)).leave();
});

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close(0);
});

it('an answer that its client does not read is held until the client is gone', async () => {
  const sent: string[] = [];
  server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  server.answerWith(async ({ path, onSent }) => {
    onSent?.(() => sent.push(path));
    return { status: 200, headers: {}, body: Array.from({ length: 60 }, () => 'x'.repeat(500_000)) };
  });
  const send = async (path: string) => {
    const socket = connect(Number(new URL(server?.origin ?? '').port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    return socket;
  };
  const unread = await send('/unread');
  const read = await send('/read');
  expect((await text(read)).length).toBeGreaterThan(30_000_000);
  expect(sent).toEqual(['/read']);
  unread.destroy();
  while (sent.length < 2) await new Promise(setImmediate);
  expect(sent).toEqual(['/read', '/unread']);
});

it('an answer to a client that has gone meanwhile is not held', async () => {
  const sent: string[] = [];
  const arrived = Promise.withResolvers<undefined>();
  const gone = Promise.withResolvers<undefined>();
  server = await listen({ host: '127.0.0.1', port: 0, exposeSandbox: false, onError: () => {} });
  server.answerWith(async ({ path, onSent }) => {
    arrived.resolve(undefined);
    await gone.promise;
    onSent?.(() => sent.push(path));
    return { status: 200, headers: {}, body: ['x'] };
  });
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /gone HTTP/1.1\r\nhost: x\r\n\r\n');
  await arrived.promise;
  socket.destroy();
  await once(socket, 'close');
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  gone.resolve(undefined);
  while (sent.length === 0) await new Promise(setImmediate);
  expect(sent).toEqual(['/gone']);
});
