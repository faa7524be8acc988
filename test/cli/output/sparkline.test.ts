import { expect, it } from 'vitest';
import { sparkline } from '../../../src/cli/output/sparkline.ts';
import { relativeTime } from '../../../src/cli/output/times.ts';

it.each([
  [[0, 0], '··', '..'],
  [[0, 1, 1_000_000], '·▁█', '.:#'],
  [[1, 2, 4, 8], '▁▂▄█', ':-+#'],
])('a sparkline shows %j as columns', (numbers, blocks, letters) => {
  expect(sparkline(numbers, { unicode: true })).toBe(blocks);
  expect(sparkline(numbers, { unicode: false })).toBe(letters);
});

it.each([
  ['2027-03-01T12:00:00Z', 'now'],
  ['2027-03-01T11:59:20Z', '40 s ago'],
  ['2027-03-01T11:57:00Z', '3 min ago'],
  ['2027-03-01T23:00:00Z', 'in 11 h'],
  ['2027-03-02T12:00:00Z', 'in 24 h'],
  ['2027-03-04T11:59:00Z', 'in 2 d'],
  ['2027-03-31T11:59:58Z', 'in 30 d'],
  ['2027-02-26T12:00:02Z', '2 d ago'],
  ['2026-03-01T12:00:00Z', '2026-03-01'],
])('the relative time of %s is %s', (instant, text) => {
  expect(relativeTime(Date.parse(instant), Date.parse('2027-03-01T12:00:00Z'), 'UTC')).toBe(text);
});
