import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/service/errors.ts';
import type { Job, JobDefinition, JobDefinitions } from '../../../src/service/jobs/job.ts';
import { enqueue, type NewJob } from '../../../src/service/jobs/queue.ts';
import type { Db } from '../../../src/service/store/database.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { forwarding } from '../../support/stores.ts';
import { epoch, TestService } from '../../support/test-service.ts';
import { until } from '../../support/until.ts';
import { makeZombie } from '../../support/zombie.ts';

// These tests use their own job definitions, for kinds and payloads that the areas do not have.
type Run = (job: Omit<Job, 'payload'> & { readonly payload: unknown }) => ReturnType<JobDefinition['run']>;

const definitionsOf = (runs: Record<string, Run>) =>
  Object.fromEntries(Object.entries(runs).map(([kind, run]) => [kind, { run }])) as unknown as Partial<JobDefinitions>;

const add = (db: Db, job: { kind: string; accountId: string | null; payload: unknown; dueAt: number }) => enqueue(db, job as NewJob);

let open: TestService[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const service of open.slice(1)) await service.service.close();
  await open[0]?.close();
  open = [];
});

async function start(runs: Record<string, Run>): Promise<{ service: TestService; store: Store }> {
  const service = await TestService.open({ jobDefinitions: definitionsOf(runs) });
  open.push(service);
  return { service, store: await service.database.open() };
}

const queue = (store: Store, jobs: { payload: unknown; in?: number; kind?: string }[]) =>
  store.write(async (db) => {
    for (const { payload, in: seconds = 0, kind = 'broadcast' } of jobs)
      await add(db, { kind, accountId: null, payload, dueAt: epoch + seconds * 1000 });
    const queued = await db.selectFrom('jobs').select('id').orderBy('seq', 'desc').limit(jobs.length).execute();
    return queued.map(({ id }) => id).reverse();
  });

/** A handler that records its runs. */
function recorder() {
  const ran: unknown[] = [];
  const handler: Run = async (job) => {
    ran.push(job.payload);
    return undefined;
  };
  return { ran, handler };
}

const settle = async (service: TestService) => (await service.sandbox('POST', '/settle')).body.jobs_run as number;

describe('due jobs', () => {
  // Proves rules sandbox.27, sandbox.29.
  it('run once in the order of their due times, and are then removed', async () => {
    const { ran, handler } = recorder();
    const { service, store } = await start({ broadcast: handler });
    await queue(store, [{ payload: 'second', in: -1 }, { payload: 'third' }, { payload: 'first', in: -2 }, { payload: 'later', in: 60 }]);
    expect(await settle(service)).toBe(3);
    expect(ran).toEqual(['first', 'second', 'third']);
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({ broadcast: 1 });
    service.clock.now += 60_000;
    expect(await settle(service)).toBe(1);
    expect(await settle(service)).toBe(0);
  });

  it('are not queued if the change that causes them fails', async () => {
    const { ran, handler } = recorder();
    const { service, store } = await start({ broadcast: handler });
    const failing = store.write(async (db) => {
      await add(db, { kind: 'broadcast', accountId: null, payload: 'never', dueAt: epoch });
      throw new Error('the change failed');
    });
    await expect(failing).rejects.toThrow('the change failed');
    expect(await settle(service)).toBe(0);
    expect(ran).toEqual([]);
  });

  it('are completed in one transaction with the changes they return', async () => {
    let attempts = 0;
    const { service, store } = await start({
      broadcast: async () => async (db) => {
        await db.updateTable('service_state').set({ hold: '["faq_search"]' }).execute();
        if (++attempts === 1) throw new Error('the end failed');
      },
    });
    await queue(store, [{ payload: {} }]);
    await settle(service);
    expect((await service.sandbox('GET', '/jobs')).body).toMatchObject({ hold: [], waiting: { broadcast: 1 } });
    service.clock.now += 1000;
    await settle(service);
    expect((await service.sandbox('GET', '/jobs')).body).toMatchObject({ hold: ['faq_search'], waiting: {} });
  });

  // Proves rule accounts.11.
  it('are deleted with their account', async () => {
    const { ran, handler } = recorder();
    const { service, store } = await start({ broadcast: handler });
    const { body } = await service.post('/subaccounts', { name: 'short-lived' });
    await store.write((db) => add(db, { kind: 'broadcast', accountId: body.sub_account.id, payload: 1, dueAt: epoch + 1000 }));
    await service.delete(`/subaccounts/${body.sub_account.id}`);
    service.clock.now += 1000;
    await settle(service);
    expect(ran).toEqual([]);
  });
});

it('the runner does not run more jobs at once than it has places', async () => {
  let running = 0;
  let most = 0;
  const { service, store } = await start({
    broadcast: async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return undefined;
    },
  });
  service.service.startJobs();
  await queue(
    store,
    Array.from({ length: 400 }, (_, payload) => ({ payload })),
  );
  await Promise.all([settle(service), ...Array.from({ length: 20 }, (_, index) => service.post('/lists', { name: `wakes ${index}` }))]);
  await settle(service);
  // Jobs of one kind get a third of the places.
  expect(most).toBeGreaterThan(160);
  expect(most).toBeLessThanOrEqual(171);
  expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({});
});

it('the runner does not poll while there is no place for the due jobs', async () => {
  const { service, store } = await start({});
  const opened = await service.database.open();
  let leases = 0;
  const counting: Store = {
    ...forwarding(opened),
    write: (work, options) => {
      leases++;
      return opened.write(work, options);
    },
  };
  let running = 0;
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const broadcast: Run = () => {
    running++;
    return held;
  };
  const other = await TestService.on(service.database, { store: counting, jobDefinitions: definitionsOf({ broadcast }) }, service);
  open.push(other);
  await queue(
    store,
    Array.from({ length: 400 }, (_, payload) => ({ payload })),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  other.service.startJobs();
  await until(async () => {
    await vi.advanceTimersByTimeAsync(1);
    return running > 160;
  });
  leases = 0;
  for (let milliseconds = 0; milliseconds < 1_000; milliseconds++) {
    await vi.advanceTimersByTimeAsync(1);
    await new Promise(setImmediate);
  }
  // Twice a second, because another process may have finished some.
  expect(leases).toBeLessThanOrEqual(4);
  vi.useRealTimers();
  release(undefined);
  await settle(other);
  expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({});
});

describe('a runner with frozen timers', () => {
  const ends: (() => void)[] = [];
  const started: unknown[] = [];
  const endless: Run = ({ payload }) => {
    started.push(payload);
    return new Promise((resolve) => ends.push(() => resolve(undefined)));
  };

  async function begin(lanes: readonly string[]): Promise<void> {
    ends.length = 0;
    started.length = 0;
    const { service, store } = await start({ broadcast: endless });
    await store.write((db) =>
      enqueue(db, ...lanes.map((lane) => ({ kind: 'broadcast', lane, accountId: null, payload: lane, dueAt: epoch }) as unknown as NewJob)),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    service.service.startJobs();
  }

  /** Fires the timers that are due, without moving any earlier. */
  const turn = () => void vi.advanceTimersByTime(0);

  const rest = async () => {
    for (let turns = 0; turns < 100; turns++) {
      turn();
      await new Promise(setImmediate);
    }
  };

  const untilBegun = (count: number) => until(() => (turn(), ends.length >= count));

  afterEach(async () => {
    vi.useRealTimers();
    // Finish the running jobs, and those started meanwhile.
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
  });

  const lanesOf = (account: string, count: number) => Array.from({ length: count }, (_, number) => `${account} https://${number}.example`);

  it('starts the jobs of 200 lanes at once', async () => {
    await begin(lanesOf('acc_1', 200));
    await untilBegun(200);
  });

  it('refills a full lane when an eighth of its jobs has finished', async () => {
    await begin(Array.from({ length: 400 }, () => 'slow'));
    await untilBegun(170);
    const begun = ends.length;
    for (const end of ends.slice(0, 16)) end();
    await rest();
    expect(ends.length).toBe(begun);
    for (const end of ends.slice(16, 32)) end();
    await untilBegun(begun + 14);
  });

  it.each([
    ['an account with any number of lanes gets half', lanesOf('acc_1', 2_000), 256],
    ['a lane of an account gets a third of those', Array.from({ length: 1_000 }, () => 'acc_1 https://slow.example'), 86],
    [
      'a resource that many accounts use gets a third',
      Array.from({ length: 900 }, (_, number) => `acc_${number % 30} https://slow.example`),
      171,
    ],
  ])('does not give all places away: %s', async (_, stuck, most) => {
    await begin([...stuck, 'acc_other https://other.example', 'session_end']);
    // The stuck jobs come first, and the others still start.
    await untilBegun(most + 2);
    await rest();
    expect(ends).toHaveLength(most + 2);
    expect(started).toEqual(expect.arrayContaining(['acc_other https://other.example', 'session_end']));
  });

  it('leaves a place for an account beside eight whose jobs are all stuck', async () => {
    await begin([...Array.from({ length: 8 }, (_, account) => lanesOf(`acc_${account}`, 300)).flat(), 'acc_other https://other.example']);
    await until(() => (turn(), started.includes('acc_other https://other.example')));
  });
});

describe('a failing job', () => {
  // Proves rules sandbox.18, sandbox.31.
  it("is retried with growing delays on the service's clock, and finally given up", async () => {
    const attempts: number[] = [];
    const { service, store } = await start({
      broadcast: async ({ attempt }) => {
        attempts.push(attempt);
        throw new Error('not today');
      },
    });
    await service.sandbox('POST', '/clock', { frozen: true });
    await queue(store, [{ payload: {} }]);
    await settle(service);
    expect(attempts).toEqual([1]);
    const { body } = await service.sandbox('POST', '/clock/advance', { seconds: 3600 });
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let at = epoch;
    expect((body.fired as { at: string }[]).map(({ at }) => Date.parse(at))).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => (at += seconds * 1000)),
    );
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({});
    expect(service.errors.length).toBe(10);
  });

  it('waits in real time while the store is busy, also with a frozen clock, and is not given up', async () => {
    const attempts: number[] = [];
    const { service, store } = await start({
      broadcast: async ({ attempt }) => {
        attempts.push(attempt);
        if (attempt <= 11) throw new ApiError(503, 'The store is busy');
        return undefined;
      },
    });
    await service.sandbox('POST', '/clock', { frozen: true });
    await queue(store, [{ payload: {} }]);
    await store.write((db) => db.updateTable('jobs').set({ attempts: 9 }).execute());
    service.service.startJobs();
    await until(() => ((service.clock.now += 10_000), attempts.length === 3));
    await settle(service);
    expect(attempts).toEqual([10, 11, 12]);
    expect((await service.sandbox('GET', '/clock')).body.now).toBe(new Date(epoch).toISOString());
    expect((await service.sandbox('GET', '/jobs')).body.waiting).toEqual({});
  });

  it('does not stop other jobs', async () => {
    const { ran, handler } = recorder();
    const { service, store } = await start({
      broadcast: handler,
      faq_search: async () => {
        throw new Error('broken');
      },
    });
    await queue(store, [{ payload: 'x', kind: 'faq_search' }, { payload: 'y' }, { payload: 'z', kind: 'unknown' }, { payload: 'w' }]);
    await settle(service);
    expect(ran).toEqual(['y', 'w']);
  });
});

describe('a held kind', () => {
  // Proves rules sandbox.25, sandbox.26, sandbox.27.
  it('stays queued until it is released, even if it is due', async () => {
    const { ran, handler } = recorder();
    const { service, store } = await start({ broadcast: handler, faq_search: handler });
    await service.sandbox('POST', '/clock', { frozen: true });
    expect((await service.sandbox('POST', '/jobs', { hold: ['broadcast'] })).body).toEqual({
      success: true,
      hold: ['broadcast'],
      waiting: {},
    });
    await queue(store, [{ payload: 'held' }, { payload: 'free', kind: 'faq_search' }, { payload: 'held later', in: 5 }]);
    await settle(service);
    const { body } = await service.sandbox('POST', '/clock/advance', { seconds: 10 });
    expect(body.fired).toEqual([]);
    expect(ran).toEqual(['free']);
    expect((await service.sandbox('GET', '/jobs')).body).toEqual({ success: true, hold: ['broadcast'], waiting: { broadcast: 2 } });
    await service.sandbox('POST', '/jobs', { hold: [] });
    await settle(service);
    expect(ran).toEqual(['free', 'held', 'held later']);
  });

  // Proves rules sandbox.25, sandbox.28.
  it('can include all kinds', async () => {
    const { ran, handler } = recorder();
    const { service, store } = await start({ broadcast: handler });
    await service.sandbox('POST', '/jobs', { hold: 'all' });
    await queue(store, [{ payload: 1 }]);
    expect(await settle(service)).toBe(0);
    expect(ran).toEqual([]);
    for (const hold of ['some', ['unknown'], null, undefined]) expect((await service.sandbox('POST', '/jobs', { hold })).status).toBe(400);
  });
});

describe('advancing the clock', () => {
  // Proves rules sandbox.19, sandbox.20.
  it('stops at each time at which a job is due, including jobs created meanwhile', async () => {
    const seen: [unknown, string][] = [];
    let store: Store | null = null;
    const { service, store: opened } = await start({
      broadcast: async ({ payload }) => {
        seen.push([payload, (await service.sandbox('GET', '/clock')).body.now as string]);
        if (payload === 'a') await queue(store as Store, [{ payload: 'made by a', in: 15 }]);
        return undefined;
      },
    });
    store = opened;
    await service.sandbox('POST', '/clock', { frozen: true });
    await queue(store, [
      { payload: 'b', in: 20 },
      { payload: 'a', in: 10 },
      { payload: 'too late', in: 31 },
      { payload: 'c', in: 20 },
    ]);
    const { body } = await service.sandbox('POST', '/clock/advance', { seconds: 30 });
    const at = (seconds: number) => new Date(epoch + seconds * 1000).toISOString();
    expect(seen).toEqual([
      ['a', at(10)],
      ['made by a', at(15)],
      ['b', at(20)],
      ['c', at(20)],
    ]);
    expect(body).toMatchObject({
      now: at(30),
      fired: [10, 15, 20, 20].map((seconds) => ({ kind: 'broadcast', id: expect.any(String), at: at(seconds) })),
    });
  });

  // Proves rules sandbox.22, sandbox.23.
  it('is exclusive: a second advance and a clock change return 409, and no other process runs jobs', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const ran: unknown[] = [];
    const { service, store } = await start({
      broadcast: async ({ payload }) => {
        ran.push(payload);
        entered.resolve();
        await gate.promise;
        return undefined;
      },
    });
    const other = await TestService.on(
      service.database,
      {
        jobDefinitions: definitionsOf({
          broadcast: async ({ payload }) => {
            ran.push(`other ${String(payload)}`);
            return undefined;
          },
        }),
      },
      service,
    );
    open.push(other);
    await service.sandbox('POST', '/clock', { frozen: true });
    await queue(store, [
      { payload: 1, in: 10 },
      { payload: 2, in: 10 },
    ]);
    const advancing = service.sandbox('POST', '/clock/advance', { seconds: 60 });
    await entered.promise;
    expect((await service.sandbox('POST', '/clock/advance', { seconds: 1 })).status).toBe(409);
    expect((await other.sandbox('POST', '/clock/advance', { seconds: 1 })).status).toBe(409);
    expect((await other.sandbox('POST', '/clock', { frozen: false })).status).toBe(409);
    await other.service.runDueJobs(0);
    gate.resolve();
    expect((await advancing).body.fired).toHaveLength(2);
    expect(ran).toEqual([1, 2]);
  });

  // Proves rule sandbox.19.
  it('ends with 409, and leaves the clock, when its claim was lost because the wall clock jumped', async () => {
    const blocked: (() => void)[] = [];
    const runs: Record<string, Run> = {
      broadcast: async () => {
        await new Promise<void>((resolve) => blocked.push(resolve));
        return undefined;
      },
    };
    const { service, store } = await start(runs);
    const other = await TestService.on(service.database, { jobDefinitions: definitionsOf(runs) }, service);
    open.push(other);
    await service.sandbox('POST', '/clock', { frozen: true });
    await queue(store, [
      { payload: 1, in: 1 },
      { payload: 2, in: 900 },
    ]);
    const first = service.sandbox('POST', '/clock/advance', { seconds: 1_000 });
    await until(() => blocked.length === 1);
    service.clock.now += 120_000;
    const second = other.sandbox('POST', '/clock/advance', { seconds: 10 });
    await until(() => blocked.length === 2);
    blocked[0]?.();
    expect((await first).status).toBe(409);
    blocked[1]?.();
    expect((await second).status).toBe(200);
    expect(Date.parse((await other.sandbox('GET', '/clock')).body.now as string)).toBe(epoch + 11_000);
  });

  it('can be repeated', async () => {
    const { handler } = recorder();
    const { service } = await start({ broadcast: handler });
    await service.sandbox('POST', '/clock', { frozen: true });
    for (const seconds of [0, 1, 2]) expect((await service.sandbox('POST', '/clock/advance', { seconds })).status).toBe(200);
    expect((await service.sandbox('GET', '/clock')).body.now).toBe(new Date(epoch + 3000).toISOString());
  });
});

describe('several processes on one store', () => {
  // Proves rule sandbox.32.
  it('run each job once', async () => {
    const ran: unknown[] = [];
    const handler: Run = async ({ payload }) => {
      ran.push(payload);
      return undefined;
    };
    const { service, store } = await start({ broadcast: handler });
    const other = await TestService.on(service.database, { jobDefinitions: definitionsOf({ broadcast: handler }) }, service);
    open.push(other);
    await queue(
      store,
      Array.from({ length: 200 }, (_, index) => ({ payload: index })),
    );
    await Promise.all([settle(service), settle(other)]);
    expect(ran).toHaveLength(200);
    expect(new Set(ran).size).toBe(200);
  });

  // Proves rule serve.25.
  it('take over a job only if its process is dead', async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const ran: string[] = [];
    const { service, store } = await start({
      broadcast: async () => {
        ran.push('first');
        entered.resolve();
        await gate.promise;
        return async () => void ran.push('end of first');
      },
    });
    const [id = ''] = await queue(store, [{ payload: {} }]);
    const settling = service.service.runDueJobs(0);
    await entered.promise;
    const other = await TestService.on(
      service.database,
      {
        jobDefinitions: definitionsOf({
          broadcast: async () => {
            ran.push('second');
            return undefined;
          },
        }),
      },
      service,
    );
    open.push(other);
    await other.service.runDueJobs(0);
    expect(ran).toEqual(['first']);
    // As if the first process had been suspended for longer than its lease.
    service.clock.now += 61_000;
    await settle(other);
    expect(ran).toEqual(['first', 'second']);
    gate.resolve();
    await settling;
    await settle(service);
    expect(ran).toEqual(['first', 'second']);
    expect(await store.read((db) => db.selectFrom('jobs').select('id').where('id', '=', id).execute())).toEqual([]);
  });

  const deadProcesses: Readonly<Record<string, () => Promise<number>>> = {
    // No process can have this id, because it is above the maximum on Linux.
    'a dead local process': () => Promise.resolve(4_194_305),
    ...(process.platform === 'linux' && { 'a dead local process whose parent has not taken notice': makeZombie }),
  };

  // Proves rule serve.25.
  it.each(Object.entries(deadProcesses))('release the leases of %s when they start', async (_what, makeProcess) => {
    const { ran, handler } = recorder();
    const { service, store } = await start({ broadcast: handler });
    const [id = ''] = await queue(store, [{ payload: 'left behind' }]);
    const { hostname } = await import('node:os');
    const owner = `${hostname()}/${await makeProcess()}/x`;
    await store.write((db) =>
      db
        .updateTable('jobs')
        .set({ lease_owner: owner, lease_until: epoch + 60_000 })
        .where('id', '=', id)
        .execute(),
    );
    const other = await TestService.on(service.database, { jobDefinitions: definitionsOf({ broadcast: handler }) }, service);
    open.push(other);
    await settle(other);
    expect(ran).toEqual(['left behind']);
  });

  it('renew the leases of running jobs, but not of a job whose completion could not be written', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { service, store } = await start({});
    const gates = { busy: Promise.withResolvers<void>(), 'cut off': Promise.withResolvers<void>() };
    let running = 0;
    const run: Run = async ({ payload }) => {
      running++;
      await gates[payload as keyof typeof gates].promise;
      return undefined;
    };
    const opened = await service.database.open();
    let isAway = false;
    const flaky: Store = {
      ...forwarding(opened),
      write: (work, options) => (isAway ? Promise.reject(new Error('the database is away')) : opened.write(work, options)),
    };
    const other = await TestService.on(service.database, { store: flaky, jobDefinitions: definitionsOf({ broadcast: run }) }, service);
    open.push(other);
    const [busy = '', cut = ''] = await queue(store, [{ payload: 'busy' }, { payload: 'cut off' }]);
    other.service.startJobs();
    await until(() => running === 2);
    isAway = true;
    gates['cut off'].resolve();
    // Neither the completion nor the next attempt can be written.
    await until(() => other.errors.length === 2);
    expect(other.errors.map(String)).toEqual(Array(2).fill('Error: the database is away'));
    isAway = false;
    service.clock.now += 40_000;
    await vi.advanceTimersByTimeAsync(15_000);
    const leases = async () => {
      const rows = await store.read((db) => db.selectFrom('jobs').select(['id', 'lease_until']).execute());
      return Object.fromEntries(rows.map((row) => [row.id, row.lease_until - epoch]));
    };
    await until(async () => (await leases())[busy] === 100_000);
    expect(await leases()).toEqual({ [busy]: 100_000, [cut]: 60_000 });
    gates.busy.resolve();
  });
});

it('what a stop cuts off is no error, and runs again', async () => {
  const stopping = Promise.withResolvers<never>();
  let attempts = 0;
  const run: Run = async () => (attempts++ === 0 ? await stopping.promise : undefined);
  const { service, store } = await start({ broadcast: run });
  await queue(store, [{ payload: 'long' }]);
  service.service.startJobs();
  await until(() => attempts === 1);
  const stopped = service.service.stopJobs(10_000);
  stopping.reject(new Error('The service is stopping'));
  await stopped;
  expect(service.errors).toEqual([]);
  const other = await TestService.on(service.database, { jobDefinitions: definitionsOf({ broadcast: run }) }, service);
  open.push(other);
  service.clock.now += 3_600_000;
  await settle(other);
  expect(attempts).toBe(2);
});

it('a job whose end could not be stored is released once the store is back, so that an advance does not wait for its lease', async () => {
  const { service } = await start({});
  const store = await service.database.open();
  let isAway = false;
  const gate = Promise.withResolvers<undefined>();
  const flaky: Store = {
    ...forwarding(store),
    write: async (work, options) => {
      if (isAway) throw new ApiError(503, 'The connection to the database was lost');
      return await store.write(work, options);
    },
  };
  let runs = 0;
  const broadcast: Run = async () => {
    if (++runs === 1) await gate.promise;
    return undefined;
  };
  const other = await TestService.on(service.database, { store: flaky, jobDefinitions: definitionsOf({ broadcast }) }, service);
  open.push(other);
  const [id] = await queue(store, [{ payload: 'one' }]);
  other.service.startJobs();
  await until(() => runs === 1);
  isAway = true;
  gate.resolve(undefined);
  await until(() => other.errors.length > 0);
  isAway = false;
  // The clock of leases stands still, so that no lease expires.
  const leaseOf = () =>
    store.read((db) =>
      db
        .selectFrom('jobs')
        .select('lease_owner')
        .where('id', '=', id ?? '')
        .executeTakeFirst(),
    );
  await until(async () => (await leaseOf())?.lease_owner === null);
  await service.sandbox('POST', '/clock', { frozen: true });
  const advanced = await other.sandbox('POST', '/clock/advance', { seconds: 1 });
  expect(advanced.status).toBe(200);
});
