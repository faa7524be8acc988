import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counted, digits } from '../../src/contract/text/counted.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [-1_234_567, '-1,234,567'],
  [48_210.5, '48,210.5'],
  [0.000_001, '0.000001'],
  [0.000_000_4, '0'],
  [1_234.123_456_7, '1,234.123457'],
])('%d is shown as %s', (number, text) => {
  expect(digits(number)).toBe(text);
});

it('numbers are shown as English texts have them', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (millionths) => {
      const number = millionths / 1_000_000;
      expect(digits(number)).toBe(number.toLocaleString('en-US', { maximumFractionDigits: 6 }).replace(/^-0$/, '0'));
      expect(digits(millionths)).toBe(millionths.toLocaleString('en-US'));
    }),
  );
});

it('a count has its noun', () => {
  expect([counted(1, 'tag'), counted(2, 'tag'), counted(1_000, 'entry', 'entries')]).toEqual(['1 tag', '2 tags', '1,000 entries']);
});
