import { expect, it } from 'vitest';
import { sparkline } from '../../../src/cli/output/sparkline.ts';
import { relativeTime } from '../../../src/cli/output/times.ts';

it.each([
  [[0, 0], '··', '..'],
  [[0, 1, 1_000_000], '·▁█', '.:#'],
  [[1, 2, 4, 8], '▁▂▄█', ':-+#'],
])('%j as columns', (numbers, blocks, letters) => {
  expect(sparkline(numbers, { unicode: true })).toBe(blocks);
  expect(sparkline(numbers, { unicode: false })).toBe(letters);
});

it.each([
  ['2027-03-01T12:00:00Z', 'now'],
  ['2027-03-01T11:59:20Z', '40 seconds ago'],
  ['2027-03-01T11:57:00Z', '3 minutes ago'],
  ['2027-03-01T23:00:00Z', 'in 11 hours'],
  ['2027-03-02T12:00:00Z', 'tomorrow'],
  ['2027-03-04T11:59:00Z', 'in 3 days'],
  ['2026-03-01T12:00:00Z', '365 days ago'],
])('%s is %s', (instant, text) => {
  expect(relativeTime(instant, Date.parse('2027-03-01T12:00:00Z'))).toBe(text);
});
