import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../../src/service/store/shared-reads.ts';

describe('a shared read', () => {
  it('serves the calls before its start; later calls get the next read', async () => {
    const ends: (() => void)[] = [];
    let begun = 0;
    const reads = new SharedReads<number>(async () => {
      const number = ++begun;
      await new Promise<void>((resolve) => ends.push(resolve));
      return number;
    });
    const first = reads.get('a');
    const [second, third] = [reads.get('a'), reads.get('a')];
    const other = reads.get('b');
    expect(begun).toBe(2);
    ends.splice(0).forEach((end) => end());
    expect([await first, await other]).toEqual([1, 2]);
    await Promise.resolve();
    ends.splice(0).forEach((end) => end());
    expect([await second, await third, begun]).toEqual([3, 3, 3]);
    const fourth = reads.get('a');
    ends.splice(0).forEach((end) => end());
    expect(await fourth).toBe(4);
  });

  it('that fails affects only the calls that share it', async () => {
    let tries = 0;
    const reads = new SharedReads<string>(async () => {
      if (++tries === 1) throw new Error('away');
      return 'there';
    });
    const first = reads.get('a');
    const second = reads.get('a');
    await expect(first).rejects.toThrow('away');
    expect(await second).toBe('there');
  });
});
