import { expect, it } from 'vitest';
import { Attempts } from './attempts.ts';

// What the drill concludes from a comparison is only as good as the comparison.

it('finds what was lost, doubled, or stored although it was refused', () => {
  const attempts = new Attempts();
  attempts.note('kept', 'acknowledged');
  attempts.note('lost', 'acknowledged');
  attempts.note('doubled', 'acknowledged');
  attempts.note('refused', 'refused');
  expect(attempts.compare(['kept', 'doubled', 'doubled', 'refused', 'never tried'])).toEqual({
    lost: ['lost'],
    doubled: ['doubled'],
    unexpected: ['refused', 'never tried'],
  });
});

it('accepts both fates of a request whose answer was cut off', () => {
  const attempts = new Attempts();
  attempts.note('one', 'unknown');
  attempts.note('other', 'unknown');
  expect(attempts.compare(['one'])).toEqual({ lost: [], doubled: [], unexpected: [] });
});

it('counts the surest of several attempts', () => {
  const attempts = new Attempts();
  for (const outcome of ['unknown', 'acknowledged', 'refused'] as const) attempts.note('contact', outcome);
  expect(attempts.compare([])).toMatchObject({ lost: ['contact'] });
  expect(attempts.count('acknowledged')).toBe(1);
});
