import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/service/store/sqlite-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { stepByStep, StepScheduler } from '../../../src/service/flow/steps.ts';
import { engine, forwarding, makeDatabase, type TestDatabase } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

/** Runs the parts of a computation one after another. */
function makeComputation() {
  const serveOthers = stepByStep();
  let ended: Promise<unknown> = Promise.resolve();
  const run = (step: () => Promise<number>) => {
    const running = ended.then(serveOthers).then(step);
    ended = running;
    return running;
  };
  return { run };
}

const memory = openSqliteStore(':memory:');
afterAll(() => memory.close());

it('each turn of the event loop runs one step, in the order of the calls', async () => {
  const scheduler = new StepScheduler();
  const steps: string[] = [];
  const work = async (name: string) => {
    for (let step = 1; step <= 3; step++) {
      await scheduler.run(async () => void steps.push(`${name}${step}`));
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  const seen: number[] = [];
  while (steps.length < 6) {
    await nextTurn();
    seen.push(steps.length);
  }
  await all;
  expect(steps).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  expect(Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0)))).toBe(1);
});

it('steps run one at a time, and continue after a failed one', async () => {
  const scheduler = new StepScheduler();
  const gate = Promise.withResolvers<undefined>();
  let isRunning = false;
  const first = scheduler.run(async () => {
    isRunning = true;
    await gate.promise;
    isRunning = false;
    throw new Error('failed');
  });
  const second = scheduler.run(async () => isRunning);
  await nextTurn();
  gate.resolve(undefined);
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe(false);
});

// Proves rule serve.48: the event loop accepts one connection per turn, so twenty need more than one turn between steps.
it.each([
  ['steps', () => new StepScheduler()],
  ['transactions', () => ({ run: (step: () => Promise<number>) => memory.write(step) })],
  ['parts of a computation', makeComputation],
])('clients that connect during a step are served within the next %s', async (_, makeRunner) => {
  const server = createServer((socket) => socket.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let served = 0;
  server.on('connection', () => served++);
  const runner = makeRunner();
  const busy = async () => {
    for (const end = performance.now() + 50; performance.now() < end;);
    return served;
  };
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').resume());
  const closed = clients.map((client) => once(client, 'close'));
  const seen = await Promise.all([busy, busy, busy, busy].map((step) => runner.run(step)));
  await Promise.all(closed);
  server.close();
  expect(seen[3]).toBe(20);
});

/** Counts how often a store is used between two turns of the event loop. */
class Counted {
  readonly database: TestDatabase;
  /** The maximum number of reads and writes started in one turn. */
  most = 0;
  all = 0;
  #now = 0;

  constructor(database: TestDatabase) {
    this.database = database;
  }

  async open(): Promise<Store> {
    const store = await this.database.open();
    const count = () => {
      if (this.#now++ === 0) setImmediate(() => (this.#now = 0));
      this.all++;
      this.most = Math.max(this.most, this.#now);
    };
    return {
      ...forwarding(store),
      read: (work) => (count(), store.read(work)),
      write: (work, options) => (count(), store.write(work, options)),
    };
  }
}

let service: TestService;
let counted: Counted;

beforeAll(async () => {
  counted = new Counted(await makeDatabase());
  service = await TestService.on({ open: () => counted.open(), file: null, remove: () => counted.database.remove() });
  await service.liftLimits();
  const numbers = Array.from({ length: 6_000 }, (_, index) => `+1415${2_000_000 + index}`);
  for (let from = 0; from < numbers.length; from += 500)
    await service.post('/contacts/import', { contacts: numbers.slice(from, from + 500).map((phone_number) => ({ phone_number })) });
});

afterAll(() => service.close());

// Proves rules contacts.34, contacts.36, serve.48.
it('a search in several steps finds the same as one in a single step', async () => {
  const found = async (query: string) => {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { body } = await service.get(`/contacts?${query}&limit=60${cursor}`);
      ids.push(...(body.contacts as { phone_number: string }[]).map(({ phone_number: number }) => number));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    return ids;
  };
  // Newest first, across pages and steps; then a single match in the last step.
  expect(await found('search=99')).toEqual(
    Array.from({ length: 6_000 }, (_, index) => `+1415${2_005_999 - index}`).filter((number) => number.includes('99')),
  );
  expect(await found('search=4152000000')).toEqual(['+14152000000']);
  const { list } = (await service.post('/lists', { name: 'All' })).body;
  const { contacts } = (await service.get('/contacts?search=4152000000')).body;
  const page = (await service.get('/contacts?limit=100')).body.contacts as { id: string }[];
  await service.post(`/lists/${list.id}/contacts`, { contact_ids: [...page, ...contacts].map(({ id }: { id: string }) => id) });
  expect(await found(`list_id=${list.id}&channel=chatapp&search=41520000`)).toEqual(['+14152000000']);
  expect(await found(`list_id=${list.id}&channel=sms`)).toEqual([]);
});

// Proves rules lists.4, lists.5, lists.6.
it('thousands of contacts can be added to a list, or none if one is unknown', async () => {
  const ids: string[] = [];
  let cursor = '';
  while (ids.length < 700) {
    const { body } = await service.get(`/contacts?limit=100${cursor}`);
    ids.push(...(body.contacts as { id: string }[]).map(({ id }) => id));
    cursor = `&cursor=${body.next_cursor}`;
  }
  const { id } = (await service.post('/lists', { name: 'Many' })).body.list as { id: string };
  const count = async () => (await service.get('/lists?limit=1')).body.lists[0].contact_count as number;
  expect((await service.post(`/lists/${id}/contacts`, { contact_ids: [...ids, 'con_x'] })).status).toBe(404);
  expect(await count()).toBe(0);
  expect((await service.post(`/lists/${id}/contacts`, { contact_ids: [...ids, ...ids] })).body.list.contact_count).toBe(700);
  const some = await service.call('DELETE', `/v1/lists/${id}/contacts`, { contact_ids: ids.slice(0, 600) });
  expect([some.status, await count()]).toEqual([200, 100]);
});

// Proves rule serve.48. On PostgreSQL, the responses of the database determine when the other reads start.
it.runIf(engine === 'sqlite')('twenty searches take turns, however long they are', async () => {
  const alone = { all: counted.all };
  expect((await service.get('/contacts?search=nobody')).body.contacts).toEqual([]);
  const steps = counted.all - alone.all;
  // The search takes several steps: 6,000 contacts are more than one step covers.
  expect(steps).toBeGreaterThan(4);
  // All searches have started before one has finished.
  const searches = Array.from({ length: 20 }, () => service.get('/contacts?search=nobody'));
  for (let turn = 0; turn < 30; turn++) await nextTurn();
  counted.most = 0;
  await Promise.all(searches);
  // One step of each search in every turn would be twenty. The end of a search needs a few more reads.
  expect(counted.most).toBeLessThan(10);
});
