import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWhen } from '../../../src/cli/verb/when.ts';
import { localTime } from '../../../src/cli/output/times.ts';

// A Monday.
const now = Date.parse('2027-03-01T12:00:00Z');

describe('a time as people write it', () => {
  it.each([
    ['now', 'UTC', '2027-03-01T12:00:00.000Z'],
    ['2d', 'UTC', '2027-03-03T12:00:00.000Z'],
    ['12h', 'America/New_York', '2027-03-02T00:00:00.000Z'],
    ['today', 'UTC', '2027-03-01T00:00:00.000Z'],
    ['18:00', 'UTC', '2027-03-01T18:00:00.000Z'],
    ['tomorrow 9:00', 'UTC', '2027-03-02T09:00:00.000Z'],
    ['tomorrow 3pm', 'UTC', '2027-03-02T15:00:00.000Z'],
    ['9:00', 'UTC', '2027-03-02T09:00:00.000Z'],
    ['9:00', 'America/New_York', '2027-03-01T14:00:00.000Z'],
    ['1:00', 'Pacific/Kiritimati', '2027-03-02T11:00:00.000Z'],
    ['3:00', 'Pacific/Kiritimati', '2027-03-01T13:00:00.000Z'],
    ['today 9:00', 'UTC', '2027-03-01T09:00:00.000Z'],
    ['12:30 am', 'UTC', '2027-03-02T00:30:00.000Z'],
    ['monday 9:00', 'UTC', '2027-03-08T09:00:00.000Z'],
    ['monday 14:30', 'UTC', '2027-03-01T14:30:00.000Z'],
    ['12pm', 'UTC', '2027-03-01T12:00:00.000Z'],
    ['2027-04-01 09:00', 'Europe/Berlin', '2027-04-01T07:00:00.000Z'],
    ['in 2 hours', 'UTC', '2027-03-01T14:00:00.000Z'],
    ['in 1 day', 'UTC', '2027-03-02T12:00:00.000Z'],
    ['in 30m', 'UTC', '2027-03-01T12:30:00.000Z'],
    ['Tomorrow 9:00', 'Europe/Berlin', '2027-03-02T08:00:00.000Z'],
    ['tomorrow 9:00', 'Asia/Kolkata', '2027-03-02T03:30:00.000Z'],
    ['friday 14:30', 'UTC', '2027-03-05T14:30:00.000Z'],
    ['mon', 'UTC', '2027-03-08T00:00:00.000Z'],
    ['2027-03-02', 'Europe/Berlin', '2027-03-01T23:00:00.000Z'],
    ['2027-03-02T08:00:00+01:00', 'UTC', '2027-03-02T08:00:00+01:00'],
    ['2027-03-02T08:00:00Z', 'Europe/Berlin', '2027-03-02T08:00:00Z'],
    ['2027-03-02T08:00', 'Europe/Berlin', '2027-03-02T07:00:00.000Z'],
    ['2027-03-02T08:00:30.5', 'Europe/Berlin', '2027-03-02T07:00:30.500Z'],
  ])('%j in %s is %s', (text, zone, expected) => {
    expect(parseWhen(text, now, zone, 'ahead')).toBe(expected);
  });

  it.each([
    ['now', '2027-03-01T12:00:00.000Z'],
    ['9:00', '2027-03-01T09:00:00.000Z'],
    ['12:00', '2027-03-01T12:00:00.000Z'],
    ['3pm', '2027-02-28T15:00:00.000Z'],
    ['yesterday 3pm', '2027-02-28T15:00:00.000Z'],
    ['monday 9:00', '2027-03-01T09:00:00.000Z'],
    ['monday 15:00', '2027-02-22T15:00:00.000Z'],
    ['friday', '2027-02-26T00:00:00.000Z'],
    ['2h', '2027-03-01T10:00:00.000Z'],
    ['in 2 hours', '2027-03-01T14:00:00.000Z'],
    ['2027-03-02', '2027-03-02T00:00:00.000Z'],
  ])('%j is %s for an option that looks back', (text, expected) => {
    expect(parseWhen(text, now, 'UTC', 'back')).toBe(expected);
  });

  it.each([
    ['15:00', '2027-03-09T15:00:00.000Z'],
    ['9:30', '2027-03-10T09:30:00.000Z'],
    ['10:00', '2027-03-10T10:00:00.000Z'],
    ['tuesday 11:00', '2027-03-09T11:00:00.000Z'],
    ['monday', '2027-03-15T00:00:00.000Z'],
    ['45m', '2027-03-09T10:45:00.000Z'],
    ['in 2 hours', '2027-03-01T14:00:00.000Z'],
    ['tomorrow 9:00', '2027-03-02T09:00:00.000Z'],
    ['2027-03-02 9:00', '2027-03-02T09:00:00.000Z'],
  ])('%j is %s as the end of what starts on Tuesday 9 March at 10:00', (text, expected) => {
    expect(parseWhen(text, now, 'UTC', 'ahead', Date.parse('2027-03-09T10:00:00Z'))).toBe(expected);
  });

  it('is the next or the last occurrence on the days of a clock change', () => {
    const berlin = (text: string, at: string, looks: 'ahead' | 'back') => parseWhen(text, Date.parse(at), 'Europe/Berlin', looks);
    // 2:30 occurs at 0:30 and 1:30 UTC.
    expect(berlin('2:30', '2027-10-31T00:29:00Z', 'ahead')).toBe('2027-10-31T00:30:00.000Z');
    expect(berlin('2:30', '2027-10-31T00:31:00Z', 'ahead')).toBe('2027-10-31T01:30:00.000Z');
    expect(berlin('2:30', '2027-10-31T01:31:00Z', 'ahead')).toBe('2027-11-01T01:30:00.000Z');
    expect(berlin('2:30', '2027-10-31T01:29:00Z', 'back')).toBe('2027-10-31T00:30:00.000Z');
    expect(berlin('2:30', '2027-10-31T01:31:00Z', 'back')).toBe('2027-10-31T01:30:00.000Z');
    // 2:30 is skipped on the 28th, and moved to 3:30.
    expect(berlin('2:30', '2027-03-27T12:00:00Z', 'ahead')).toBe('2027-03-28T01:30:00.000Z');
    expect(berlin('2:30', '2027-03-28T12:00:00Z', 'back')).toBe('2027-03-28T01:30:00.000Z');
    expect(berlin('9:00', '2027-03-27T12:00:00Z', 'ahead')).toBe('2027-03-28T07:00:00.000Z');
  });

  it('moves forward a time that a clock change skips, and takes the first of a repeated one', () => {
    const before = Date.parse('2027-03-27T12:00:00Z');
    expect(parseWhen('tomorrow 2:30', before, 'Europe/Berlin', 'ahead')).toBe('2027-03-28T01:30:00.000Z');
    const autumn = Date.parse('2027-10-30T12:00:00Z');
    expect(parseWhen('tomorrow 2:30', autumn, 'Europe/Berlin', 'ahead')).toBe('2027-10-31T00:30:00.000Z');
  });

  it.each([
    '',
    'soon',
    '5x',
    '25:00',
    'tomorrow 9',
    'tomorrow 9:60',
    '9999999d',
    'friday friday',
    '2027-02-30',
    '2027-02-30 9:00',
    '13pm',
    '0am',
    'in 2',
    'constructor',
  ])('refuses %j', (text) => {
    expect(() => parseWhen(text, now, 'UTC', 'ahead')).toThrow(/^must be/);
  });

  it('is the local time in every zone', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia');
    const instants = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2035-01-01') });
    // No zone changes its clocks between 4:00 and 23:00.
    fc.assert(
      fc.property(instants, zones, fc.integer({ min: 4, max: 22 }), (at, zone, hour) => {
        const instant = Date.parse(parseWhen(`tomorrow ${hour}:00`, at, zone, 'ahead'));
        expect(localTime(instant, zone).slice(11)).toBe(`${String(hour).padStart(2, '0')}:00:00`);
        expect(instant).toBeGreaterThan(at);
        expect(instant - at).toBeLessThan(49 * 3_600_000);
      }),
    );
  });

  it('is the nearest time of day in its direction, in every zone', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia');
    const instants = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2035-01-01') });
    fc.assert(
      fc.property(instants, zones, fc.integer({ min: 4, max: 22 }), (at, zone, hour) => {
        const [next, last] = (['ahead', 'back'] as const).map((looks) => Date.parse(parseWhen(`${hour}:00`, at, zone, looks)));
        expect([next, last].map((instant) => localTime(instant as number, zone).slice(11, 13))).toEqual(
          Array(2).fill(String(hour).padStart(2, '0')),
        );
        expect((next as number) - at).toBeGreaterThanOrEqual(0);
        expect((next as number) - at).toBeLessThan(26 * 3_600_000);
        expect(at - (last as number)).toBeGreaterThanOrEqual(0);
        expect(at - (last as number)).toBeLessThan(26 * 3_600_000);
      }),
    );
  });
});
