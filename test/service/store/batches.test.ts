import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../../src/service/areas.ts';
import { Batches } from '../../../src/service/store/batches.ts';
import { ApiError } from '../../../src/service/errors.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { engine, forwarding, makeDatabase, type TestDatabase } from '../../support/stores.ts';

describe('a batch', () => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await makeDatabase();
    store = await database.open();
    await migrate(store, migrations, () => 0);
  });

  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const outcomes = async (work: (items: readonly number[]) => (number | ApiError)[], items: number[]) => {
    const batches = new Batches<number, number>(store, () => 'acc_none');
    return await Promise.allSettled(items.map((item) => batches.run('key', item, async (_db, taken) => work(taken))));
  };

  it('runs concurrent items in one transaction, and returns each its own result', async () => {
    const sizes: number[] = [];
    const results = await outcomes(
      (items) => {
        sizes.push(items.length);
        return items.map((item) => (item === 2 ? new ApiError(402, 'refused') : item * 10));
      },
      [1, 2, 3],
    );
    expect(sizes).toEqual([3]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as Error).message))).toEqual([
      10,
      'refused',
      30,
    ]);
  });

  it('includes items that arrive while its transaction begins, and then locks the accounts of all', async () => {
    let begin = () => {};
    const beginning = new Promise<void>((resolve) => (begin = resolve));
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const locked: (readonly string[])[] = [];
    const slow: Store = {
      ...forwarding(store),
      write: async (work, options = {}) => {
        asked();
        await beginning;
        const { accounts = [] } = options;
        locked.push(typeof accounts === 'function' ? accounts() : accounts);
        return await store.write(work);
      },
    };
    const batches = new Batches<number, number>(slow, (item) => `acc_${item}`);
    const run = (item: number) => batches.run('key', item, async (_db, taken) => taken.map((each) => each * 10));
    const first = run(1);
    await isAsked;
    const others = [run(2), run(3)];
    begin();
    expect(await Promise.all([first, ...others])).toEqual([10, 20, 30]);
    expect(locked).toEqual([['acc_1', 'acc_2', 'acc_3']]);
  });

  it('runs the items one by one if one of them fails', async () => {
    const results = await outcomes(
      (items) => {
        if (items.includes(2)) throw new Error('broken');
        return items.map((item) => item);
      },
      [1, 2, 3],
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it.each([
    new ApiError(503, 'busy'),
    // The embedded store has no connection to lose.
    ...(engine === 'sqlite' ? [] : [Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), new Error('timeout exceeded')]),
  ])('does not run the items one by one if the store fails: %s', async (error) => {
    let tries = 0;
    const results = await outcomes(() => {
      tries++;
      throw error;
    }, [1, 2, 3]);
    expect([tries, results.map(({ status }) => status)]).toEqual([1, ['rejected', 'rejected', 'rejected']]);
  });
});
