import fc from 'fast-check';
import { expect, it } from 'vitest';
import { certainShare } from '../../../../src/service/areas/analytics/certain-share.ts';

it('ranks a large sample above a smaller one with a slightly larger share', () => {
  expect(certainShare(500, 1_000)).toBeGreaterThan(certainShare(18, 30));
  expect(certainShare(29, 30)).toBeGreaterThan(certainShare(500, 1_000));
});

it('is below the share of the sample, and approaches it with the size of the sample', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 1_000 }), (part, whole) => {
      const [share, small, large] = [Math.min(part / whole, 1), certainShare(part, whole), certainShare(part * 100, whole * 100)];
      expect(small).toBeGreaterThanOrEqual(0);
      expect(small).toBeLessThan(large);
      expect(large).toBeLessThan(share);
      expect(share - large).toBeLessThan(0.15);
    }),
  );
});

it('is 0 when there is nothing', () => {
  expect(certainShare(0, 40)).toBeCloseTo(0, 10);
});
