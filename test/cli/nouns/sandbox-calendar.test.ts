import { expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const ics = (...events: string[][]) =>
  ['BEGIN:VCALENDAR', ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']), 'END:VCALENDAR'].join('\n');

const update = (home: Home, text: string, ...more: string[]) => home.sandbox('sandbox', 'accounts', 'update', '--ics', text, ...more);

// Proves rule sandbox.113.
it('a calendar of which events were left out is set, with a note of how many and why', async ({ home }) => {
  const good = ['UID:a', 'DTSTART;TZID=W. Europe Standard Time:20270302T100000'];
  const text = ics(good, ['UID:b', 'DTSTART:tomorrow'], ['UID:c', 'DTSTART;TZID=Nowhere:20270302T100000']);
  const { code, stderr } = await update(home, text);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      "Skipped 2 events of the calendar: b (its DTSTART cannot be read), c (the time zone 'Nowhere' is not known).\n",
    ),
  ]);
  expect((await update(home, text, '-o', 'json')).json).toMatchObject({
    account: { calendar: { events: [{ id: 'a', start: '2027-03-02T09:00:00.000Z' }] } },
    left_out: [{ uid: 'b' }, { uid: 'c' }],
  });
  expect((await update(home, ics(good))).stderr).not.toContain('Left out');
});
