import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../../../src/service/errors.ts';
import { done, failed, Together } from '../../../src/service/flow/together.ts';

/** Collects the groups whose work was done. */
function recording(work: (items: readonly string[]) => void = () => {}) {
  const groups: string[][] = [];
  const together = new Together<string, string>({
    count: () => 3,
    work: async (take) => {
      const items = take();
      groups.push([...items]);
      await nextTurn();
      work(items);
      return items.map((item) => (item.startsWith('refused') ? failed(new Error(item)) : done(`${item} done`)));
    },
  });
  return { groups, together };
}

it('items that arrive while others are worked on share the next group, up to the count', async () => {
  const { groups, together } = recording();
  const results = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => together.run(item)));
  expect(results).toEqual(['a done', 'b done', 'c done', 'd done', 'e done']);
  expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
});

it('items with different keys are worked on apart, at the same time', async () => {
  const { groups, together } = recording();
  await Promise.all([together.run('a', 'one'), together.run('b', 'two'), together.run('c', 'one'), together.run('d', 'one')]);
  expect(groups).toEqual([['a'], ['b'], ['c', 'd']]);
});

it('an item that is refused fails alone', async () => {
  const { groups, together } = recording();
  const outcomes = await Promise.allSettled(['a', 'refused', 'c'].map((item) => together.run(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([['a'], ['refused', 'c']]);
});

it('a group that fails is tried again, each item alone', async () => {
  const { groups, together } = recording((items) => {
    if (items.includes('bad')) throw new Error('bad');
  });
  const outcomes = await Promise.allSettled(['a', 'b', 'bad', 'd'].map((item) => together.run(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(groups).toEqual([['a'], ['b', 'bad', 'd'], ['b'], ['bad'], ['d']]);
});

it('a store that is busy concerns the whole group, which is not tried again', async () => {
  const { groups, together } = recording((items) => {
    if (items.length > 1) throw new ApiError(503, 'The store is busy');
  });
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => together.run(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(groups).toEqual([['a'], ['b', 'c']]);
});

it('the same item can be queued several times, and work without an outcome fails', async () => {
  let calls = 0;
  const together = new Together<string, string>({
    count: () => 3,
    work: async (take) => {
      await nextTurn();
      take();
      calls++;
      return [];
    },
  });
  const outcomes = await Promise.allSettled(['a', 'a', 'a'].map((item) => together.run(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  // The first alone, the group of the others, and each of them alone.
  expect(calls).toBe(4);
});

it('every item has exactly one outcome, in order, however many of a group there was time for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 }), async (times) => {
      const worked: number[] = [];
      const together = new Together<number, number>({
        count: () => 5,
        work: async (take) => {
          await nextTurn();
          const some = take().slice(0, times[worked.length % times.length] ?? 1);
          worked.push(...some);
          return some.map(done);
        },
      });
      const items = times.map((_, index) => index);
      expect(await Promise.all(items.map((item) => together.run(item)))).toEqual(items);
      expect(worked).toEqual(items);
      await together.idle();
    }),
    { numRuns: 50 },
  );
});
