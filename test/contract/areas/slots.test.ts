import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bookable, slotsOfDay } from '../../../src/contract/areas/appointments/slots.ts';
import { weekdays } from '../../../src/contract/time/weekdays.ts';
import { loadZones } from '../../../src/contract/time/zones.ts';
import { tries } from '../../support/sweeps.ts';

const findZone = await loadZones();

const dayLength = 86_400_000;

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / dayLength;

const everyDay = (...windows: [string, string][]) =>
  Object.fromEntries(weekdays.map((day) => [day, windows.map(([start_time, end_time]) => ({ start_time, end_time }))]));

/** Returns a function that converts an instant to local time with the platform's own implementation. */
function localTimeOf(timezone: string): (instant: number) => { date: string; time: string } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  return (instant) => {
    const [date = '', time = ''] = format.format(instant).split(' ');
    return { date, time };
  };
}

/** The slots of a day, in local time. */
function shown(timezone: string, date: string, type: Bookable): string[] {
  const at = localTimeOf(timezone);
  return slotsOfDay(type, findZone(timezone), dayOf(date)).map(({ start, end }) => `${at(start).time}-${at(end).time}`);
}

describe('the slots of a day', () => {
  // Proves rules appointments.4, appointments.5, appointments.6, appointments.7.
  it.each<[string, string, number, [string, string], string[]]>([
    ['UTC', '2027-03-02', 60, ['09:00', '12:00'], ['09:00-10:00', '10:00-11:00', '11:00-12:00']],
    ['UTC', '2027-03-02', 45, ['09:00', '11:00'], ['09:00-09:45', '09:45-10:30']],
    ['UTC', '2027-03-02', 30, ['23:00', '24:00'], ['23:00-23:30', '23:30-00:00']],
    ['UTC', '2027-03-02', 1440, ['00:00', '24:00'], ['00:00-00:00']],
    ['UTC', '2027-03-02', 90, ['09:00', '10:00'], []],
    // Forward: 02:00 to 03:00 is skipped.
    ['Europe/Berlin', '2027-03-28', 30, ['01:00', '04:00'], ['01:00-01:30', '01:30-03:00', '03:00-03:30', '03:30-04:00']],
    ['Europe/Berlin', '2027-03-28', 60, ['01:30', '03:00'], []],
    ['Europe/Berlin', '2027-03-28', 60, ['00:30', '05:00'], ['00:30-01:30', '01:30-03:30', '03:30-04:30']],
    ['Europe/Berlin', '2027-03-28', 1440, ['00:00', '24:00'], []],
    // Back: 02:00 to 03:00 occurs twice, and is offered once.
    ['Europe/Berlin', '2027-10-31', 60, ['01:00', '04:00'], ['01:00-02:00', '02:00-02:00', '03:00-04:00']],
    ['Europe/Berlin', '2027-10-31', 30, ['02:00', '03:00'], ['02:00-02:30', '02:30-02:00']],
    ['Europe/Berlin', '2027-10-31', 60, ['02:30', '04:00'], []],
    // Changes by half an hour, at midnight, and by a whole day.
    ['Australia/Lord_Howe', '2027-10-03', 30, ['01:30', '03:00'], ['01:30-02:30', '02:30-03:00']],
    ['Africa/Cairo', '2027-04-30', 60, ['00:00', '03:00'], ['01:00-02:00', '02:00-03:00']],
    ['Pacific/Apia', '2011-12-30', 60, ['09:00', '12:00'], []],
    ['America/New_York', '2040-03-11', 60, ['01:00', '04:00'], ['01:00-03:00', '03:00-04:00']],
  ])('in %s on %s, of %i minutes within %j, are %j', (timezone, date, minutes, hours, expected) => {
    expect(shown(timezone, date, { slot_minutes: minutes, availability: everyDay(hours) })).toEqual(expected);
  });

  // Proves rule appointments.8.
  it('do not overlap even if the windows do', () => {
    const availability = everyDay(['10:00', '13:00'], ['09:00', '12:00']);
    expect(shown('UTC', '2027-03-02', { slot_minutes: 45, availability })).toEqual([
      '09:00-09:45',
      '09:45-10:30',
      '10:30-11:15',
      '11:15-12:00',
      '12:15-13:00',
    ]);
  });

  it('are those of the weekday', () => {
    const availability = { monday: { start_time: '09:00', end_time: '10:00' } };
    const type = { slot_minutes: 60, availability };
    expect([shown('UTC', '2027-03-01', type), shown('UTC', '2027-03-02', type)]).toEqual([['09:00-10:00'], []]);
    expect(shown('UTC', '1969-12-29', type)).toEqual(['09:00-10:00']);
  });
});

const minutesOfDay = (minutes: number) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const windows = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 }))
    .filter(([from, to]) => from < to)
    .map(([from, to]) => ({ start_time: minutesOfDay(from), end_time: minutesOfDay(to) })),
  { maxLength: 3 },
);

const availabilities = fc.record(Object.fromEntries(weekdays.map((day) => [day, windows])), { requiredKeys: [] });

/** Zones with every kind of clock change, and any others. */
const zones = fc.oneof(
  fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Africa/Cairo',
    'America/Santiago',
    'Antarctica/Troll',
  ),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);

// Proves rules appointments.4, appointments.5, appointments.6, appointments.7, appointments.8.
it('the slots of a year lie within the availability, never overlap and never fall into a gap', () => {
  fc.assert(
    fc.property(
      availabilities,
      zones,
      fc.integer({ min: 5, max: 600 }),
      fc.integer({ min: 2020, max: 2045 }),
      (availability, timezone, minutes, year) => {
        const zone = findZone(timezone);
        const at = localTimeOf(timezone);
        const first = dayOf(`${year}-01-01`);
        let previous = -Infinity;
        for (let day = first; day < first + 366; day++) {
          const date = new Date(day * dayLength).toISOString().slice(0, 10);
          const open = availability[weekdays[(new Date(date).getUTCDay() + 6) % 7] as string] ?? [];
          const isOpen = (instant: number) => {
            const { date: shownDate, time } = at(instant);
            return shownDate === date && open.some(({ start_time: from, end_time: to }) => from <= time && time < to);
          };
          for (const { start, end } of slotsOfDay({ slot_minutes: minutes, availability }, zone, day)) {
            expect(end - start).toBe(minutes * 60_000);
            expect(start).toBeGreaterThanOrEqual(previous);
            previous = end;
            // The first instant that has this local time.
            for (const change of [30, 60, 120]) expect(at(start - change * 60_000)).not.toEqual(at(start));
            for (let instant = start; instant < end; instant += 15 * 60_000) expect(isOpen(instant)).toBe(true);
            expect(isOpen(end - 1)).toBe(true);
          }
        }
      },
    ),
    { numRuns: tries(3) },
  );
});

describe('a time zone', () => {
  it('converts between instants and local times as the platform does', () => {
    fc.assert(
      fc.property(zones, fc.integer({ min: Date.parse('1971-01-01'), max: Date.parse('2099-12-31') }), (timezone, instant) => {
        const zone = findZone(timezone);
        const told = new Date(zone.localTime(instant)).toISOString();
        expect({ date: told.slice(0, 10), time: told.slice(11, 16) }).toEqual(localTimeOf(timezone)(instant));
        const first = zone.firstInstant(zone.localTime(instant)) as number;
        expect(zone.localTime(first)).toBe(zone.localTime(instant));
        expect(first).toBeLessThanOrEqual(instant);
      }),
      { numRuns: tries(500) },
    );
  });

  it('skips local times in a gap', () => {
    const { firstInstant, instantFrom } = findZone('Europe/Berlin');
    const gap = Date.parse('2027-03-28T02:30:00Z');
    expect(firstInstant(gap)).toBeUndefined();
    expect(new Date(instantFrom(gap)).toISOString()).toBe('2027-03-28T01:30:00.000Z');
  });
});
