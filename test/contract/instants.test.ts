import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utcDate } from '../../src/contract/time/days.ts';
import { iso } from '../../src/contract/time/instants.ts';

it('formats instants and their days as Date does', () => {
  const instants = fc.integer({ min: -8.64e15, max: 8.64e15 });
  // Neighbouring instants share a day, or are on both sides of midnight.
  const neighbours = fc.tuple(instants, fc.integer({ min: -100_000_000, max: 100_000_000 }));
  fc.assert(
    fc.property(neighbours, ([instant, distance]) => {
      for (const each of [instant, Math.max(-8.64e15, Math.min(instant + distance, 8.64e15)), instant]) {
        const expected = new Date(each).toISOString();
        expect([iso(each), utcDate(each)]).toEqual([expected, expected.split('T')[0]]);
      }
    }),
  );
});

it('formats no instant as null', () => {
  expect(iso(null)).toBe(null);
});
