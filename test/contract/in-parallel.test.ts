import { describe, expect, it } from 'vitest';
import { inParallel } from '../../src/contract/in-parallel.ts';

/** Work items that end when the test ends them. */
function controlled() {
  const ends: ((outcome: Error | null) => void)[] = [];
  const begun: number[] = [];
  const work = (item: number) =>
    new Promise<number>((resolve, reject) => {
      begun.push(item);
      ends[item] = (failure) => (failure ? reject(failure) : resolve(item * 10));
    });
  return { begun, work, end: (item: number, failure: Error | null = null) => ends[item]?.(failure) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('work in parallel', () => {
  it('runs a bounded number of items and returns the results in order', async () => {
    const { begun, work, end } = controlled();
    const all = inParallel([0, 1, 2, 3], 2, work);
    expect(begun).toEqual([0, 1]);
    end(1);
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    end(2);
    await turn();
    end(3);
    end(0);
    expect(await all).toEqual([0, 10, 20, 30]);
  });

  it('fails with the first error, after the running items have ended', async () => {
    const { begun, work, end } = controlled();
    let failure: Error | null = null;
    const all = inParallel([0, 1, 2], 2, work).catch((error: unknown) => (failure = error as Error));
    end(0, new Error('first'));
    await turn();
    expect([begun, failure]).toEqual([[0, 1], null]);
    end(1, new Error('second'));
    await all;
    expect([begun, (failure as Error | null)?.message]).toEqual([[0, 1], 'first']);
  });

  it('accepts an empty list', async () => {
    expect(await inParallel([], 8, async () => 1)).toEqual([]);
  });
});
