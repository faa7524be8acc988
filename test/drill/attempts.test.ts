import { expect, it } from 'vitest';
import { Attempts } from './attempts.ts';

// The drill can only be trusted if this comparison is right.

it('a comparison finds lost records, duplicates, and records stored although they were refused', () => {
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

it('a comparison accepts both outcomes of a request whose response was cut off', () => {
  const attempts = new Attempts();
  attempts.note('one', 'unknown');
  attempts.note('other', 'unknown');
  expect(attempts.compare(['one'])).toEqual({ lost: [], doubled: [], unexpected: [] });
});

it('of several attempts, the most certain outcome counts', () => {
  const attempts = new Attempts();
  for (const outcome of ['unknown', 'acknowledged', 'refused'] as const) attempts.note('contact', outcome);
  expect(attempts.compare([])).toMatchObject({ lost: ['contact'] });
  expect(attempts.count('acknowledged')).toBe(1);
});
