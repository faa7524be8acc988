import { expect, it } from 'vitest';
import { loadZones } from '../../../src/contract/time/zones.ts';
import { quietUntil } from '../../../src/service/areas/broadcasts/quiet-hours.ts';

// Proves rule config.8.
it.each([
  ['2026-10-24T20:00:00Z', '2026-10-25T00:30:00Z'],
  // The clock is set back at 3:00, so that 2:30 comes twice.
  ['2026-10-25T01:10:00Z', '2026-10-25T01:11:00Z'],
  ['2026-10-25T02:00:00Z', null],
])('quiet hours until 2:30 in Berlin, at %s, end at %s', async (now, end) => {
  const account = { timezone: 'Europe/Berlin', quietHours: { start_time: '22:00', end_time: '02:30' } };
  const until = quietUntil(account, Date.parse(now), await loadZones());
  expect(until === null ? null : new Date(until).toISOString().replace('.000', '')).toBe(end);
});
