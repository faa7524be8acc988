import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairSemaphore } from '../../../src/service/flow/shares.ts';

it.each([
  [2, 1],
  [3, 2],
  [4, 3],
  [16, 12],
])('with %i places, one account gets at most %i, and another account gets one immediately', async (count, most) => {
  const places = new FairSemaphore(count);
  const held = { one: 0, other: 0 };
  const gate = Promise.withResolvers<undefined>();
  const ask = (account: keyof typeof held) =>
    places.run(account, async () => {
      held[account]++;
      await gate.promise;
      held[account]--;
    });
  const asked = Array.from({ length: 2 * count }, () => ask('one'));
  await setImmediate();
  expect(held.one).toBe(most);
  asked.push(ask('other'));
  await setImmediate();
  expect(held).toEqual({ one: most, other: 1 });
  gate.resolve(undefined);
  await Promise.all(asked);
});

it('an account that releases the last place gives it to another account', async () => {
  const places = new FairSemaphore(2);
  const order: string[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<undefined>());
  const work = ['one', 'other', 'one', 'other'].map((account, index) =>
    places.run(account, async () => {
      order.push(`${account} ${index}`);
      await gates[index]?.promise;
    }),
  );
  gates[1]?.resolve(undefined);
  await setImmediate();
  expect(order).toEqual(['one 0', 'other 1', 'other 3']);
  for (const gate of gates) gate.resolve(undefined);
  await Promise.all(work);
  expect(order.at(-1)).toBe('one 2');
});

it('who waits for a place leaves the queue when it is aborted, and takes no place later', async () => {
  const places = new FairSemaphore(1);
  const gate = Promise.withResolvers<undefined>();
  const first = places.run('one', () => gate.promise);
  const aborting = new AbortController();
  const begun: string[] = [];
  const second = places.run('two', async () => void begun.push('two'), aborting.signal);
  const third = places.run('three', async () => void begun.push('three'));
  aborting.abort(new Error('too late'));
  await expect(second).rejects.toThrow('too late');
  const fourth = places.run('four', async () => void begun.push('four'), aborting.signal);
  await expect(fourth).rejects.toThrow('too late');
  gate.resolve(undefined);
  await Promise.all([first, third]);
  expect(begun).toEqual(['three']);
});
