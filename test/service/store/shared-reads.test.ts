import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../../src/service/store/shared-reads.ts';

describe('a shared read', () => {
  it('serves calls made before it starts; later calls get the next read', async () => {
    const begun: { keys: readonly string[]; end: () => void }[] = [];
    const reads = new SharedReads<string>(async (keys) => {
      const number = begun.length + 1;
      await new Promise<void>((end) => begun.push({ keys, end }));
      return (key) => `${key}${number}`;
    });
    const first = [reads.get('a'), reads.get('b'), reads.get('a')];
    await setImmediate();
    const second = [reads.get('a'), reads.get('c')];
    await setImmediate();
    expect(begun.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    begun[0]?.end();
    expect(await Promise.all(first)).toEqual(['a1', 'b1', 'a1']);
    await setImmediate();
    expect(begun.map(({ keys }) => keys)).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
    begun[1]?.end();
    expect(await Promise.all(second)).toEqual(['a2', 'c2']);
  });

  it('affects only the calls that share it if it fails', async () => {
    let tries = 0;
    const reads = new SharedReads<string>(async () => {
      if (++tries === 1) throw new Error('away');
      return () => 'there';
    });
    const first = reads.get('a');
    await expect(first).rejects.toThrow('away');
    expect(await reads.get('a')).toBe('there');
  });
});
