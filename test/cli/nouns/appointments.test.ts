import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sync as parseCalendar, type VEvent } from 'node-ical';
import { describe, expect } from 'vitest';
import { periodWords, readSlot } from '../../../src/cli/nouns/appointments/slot-words.ts';
import { loadZones } from '../../../src/contract/time/zones.ts';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const hours = JSON.stringify({
  monday: { start_time: '09:00', end_time: '15:00' },
  tuesday: { start_time: '09:00', end_time: '11:00' },
  sunday: { start_time: '01:00', end_time: '05:00' },
});

// The clock of the sandbox is frozen at noon UTC on a Monday.
it.beforeEach(async ({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data'), TZ: 'UTC' };
  await home.run('sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
  await home.run('contacts', 'create', '+14155550123', '--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'ada@sample.example');
  await createEvent(home, 'Consultation');
});

const createEvent = async (home: Home, name: string, ...more: string[]) =>
  expect(
    (await home.run('events', 'create', name, '--timezone', 'Europe/Berlin', '--slot-minutes', '60', '--availability', hours, ...more))
      .code,
  ).toBe(0);

const book = (home: Home, slot: string, ...more: string[]) =>
  home.run('appointments', 'book', 'Ada Lovelace', 'Consultation', slot, '-o', 'json', ...more);

const slotsOf = async (home: Home, event: string, ...argv: string[]) => {
  const { stdout } = await home.run('appointments', 'slots', event, '-o', 'ndjson', ...argv);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, string>);
};

const slots = (home: Home, ...argv: string[]) => slotsOf(home, 'Consultation', ...argv);

describe('appointments slots', () => {
  it('shows a grid of the week on a terminal in the zone of the event type', async ({ home }) => {
    const { code, stdout } = await home.runOnTerminal(80, 'appointments', 'slots', 'Consultation');
    expect([code, stdout.replaceAll(/\u001b\[\d+m/g, '')]).toEqual([
      0,
      [
        'Consultation  Europe/Berlin',
        '',
        'Mon 1 Mar  Tue 2 Mar  Wed 3 Mar  Thu 4 Mar  Fri 5 Mar  Sat 6 Mar  Sun 7 Mar',
        ' '.repeat(66) + '01:00',
        ' '.repeat(66) + '02:00',
        ' '.repeat(66) + '03:00',
        ' '.repeat(66) + '04:00',
        '           09:00',
        '           10:00',
        '13:00',
        '14:00',
        '',
      ].join('\n'),
    ]);
    for (const columns of [20, 40, 60, 200])
      for (const line of (await home.runOnTerminal(columns, 'appointments', 'slots', 'Consultation')).stdout.split('\n'))
        expect(line.replaceAll(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(Math.max(columns, 27));
  });

  it('shows who comes, in the order of the days', async ({ home }) => {
    await home.run('contacts', 'create', '+14155550150', '--first-name', 'Grace', '--if-exists', 'skip');
    for (const [contact, slot] of [
      ['+14155550123', 'Tue 2 Mar 10:00'],
      ['+14155550150', 'Mon 1 Mar 14:00'],
      ['+14155550150', 'Tue 2 Mar 09:00'],
    ] as const)
      await home.run('appointments', 'book', contact, 'Consultation', slot);
    const agenda = async (...argv: string[]) =>
      (await home.run('appointments', 'agenda', ...argv, '--fields', 'when', '-o', 'tsv', '--no-header')).stdout.trimEnd().split('\n');
    expect(await agenda()).toEqual(['Mon 1 Mar 14:00', 'Tue 2 Mar 09:00', 'Tue 2 Mar 10:00']);
    expect(await agenda('tomorrow')).toEqual(['Tue 2 Mar 09:00', 'Tue 2 Mar 10:00']);
    expect(await agenda('today', '--to', '2027-03-02')).toHaveLength(3);
    expect((await home.runOnTerminal(80, 'appointments', 'agenda', '2027-03-20')).stderr).toContain('Nothing matches.');
    expect(await home.run('appointments', 'agenda', 'someday')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("<day> 'someday'"),
    });
  });

  it('shows the free places, and a grid for each room', async ({ home }) => {
    await createEvent(home, 'Massage', '--rooms', 'Blue,Red', '--max-bookings-per-slot', '12');
    await home.run('appointments', 'book', '+14155550123', 'Massage', 'Tue 2 Mar 09:00');
    const { stdout } = await home.runOnTerminal(80, 'appointments', 'slots', 'Massage', '--to', 'tomorrow');
    expect(stdout.replaceAll(/\u001b\[\d+m/g, '')).toBe(
      [
        'Massage  Europe/Berlin',
        ...['', 'Blue', '', 'Mon 1 Mar   Tue 2 Mar', '            09:00 (11)', '            10:00 (12)', '13:00 (12)', '14:00 (12)'],
        ...['', 'Red', '', 'Mon 1 Mar   Tue 2 Mar', '            09:00 (12)', '            10:00 (12)', '13:00 (12)', '14:00 (12)', ''],
      ].join('\n'),
    );
    const red = await home.run(
      'appointments',
      'slots',
      'Massage',
      '--room',
      'Red',
      '--to',
      'tomorrow',
      '--fields',
      'slot,room_name,spots_left',
      '-o',
      'csv',
    );
    expect(red.stdout).toBe(
      'slot,room_name,spots_left\r\nMon 1 Mar 13:00,Red,12\r\nMon 1 Mar 14:00,Red,12\r\nTue 2 Mar 09:00,Red,12\r\nTue 2 Mar 10:00,Red,12\r\n',
    );
  });

  it('prints a row for each slot in a pipe', async ({ home }) => {
    const { stdout } = await home.run('appointments', 'slots', 'Consultation', '--from', 'tomorrow', '--to', '2027-03-02', '-o', 'tsv');
    expect(stdout).toBe(
      'slot\tend\troom_name\tspots_left\tstart_time\ttimezone\n' +
        'Tue 2 Mar 09:00\t10:00\t\t\t2027-03-02T08:00:00.000Z\tEurope/Berlin\n' +
        'Tue 2 Mar 10:00\t11:00\t\t\t2027-03-02T09:00:00.000Z\tEurope/Berlin\n',
    );
    expect((await slots(home, '--from', '2027-03-02', '--to', '2027-03-02'))[0]).toEqual({
      slot: 'Tue 2 Mar 09:00',
      date: '2027-03-02',
      day: 'Tue',
      start: '09:00',
      end: '10:00',
      room_name: null,
      spots_left: null,
      timezone: 'Europe/Berlin',
      start_time: '2027-03-02T08:00:00.000Z',
      event_id: expect.stringMatching(/^evn_/),
      event: 'Consultation',
    });
  });

  it('prints what the service answers with -o json', async ({ home }) => {
    const json = async (...argv: string[]) =>
      (await home.run('appointments', 'slots', 'Consultation', '-o', 'json', ...argv)).json as unknown;
    const id = (await home.run('events', 'get', 'Consultation', '-o', 'json')).json.event.id as string;
    const path = `/appointments/available-slots?event_id=${id}&start_time=2027-03-01&end_time=2027-03-07`;
    const answer = (await home.run('api', 'GET', path, '-o', 'json')).json as { success: boolean; data: object[] };
    const { success: _, ...whole } = answer;
    expect(await json()).toEqual(whole);
    expect(whole.data[1]).toEqual({
      date: '02/03/2027',
      day: 'tuesday',
      available_slots: [
        { start_time: '09:00', end_time: '10:00', available: true },
        { start_time: '10:00', end_time: '11:00', available: true },
      ],
    });
    // The days are those of the zone, and the times those of the event type.
    const tokyo = ['--tz', 'Asia/Tokyo', '--from', '2027-03-07', '--to', '2027-03-07'];
    expect(await json(...tokyo)).toMatchObject({ data: [{ date: '07/03/2027', available_slots: [{}, {}, {}, {}] }] });
    expect(await json('--query', 'data[].date')).toEqual(['01/03/2027', '02/03/2027', '07/03/2027']);
    await createEvent(home, 'Massage', '--rooms', 'Blue,Red');
    const red = (await home.run('appointments', 'slots', 'Massage', '--room', 'Red', '-o', 'json')).json.data as { room_name: string }[];
    expect(red.map(({ room_name }) => room_name)).toEqual(['Red', 'Red', 'Red']);
  });

  it('accepts the fields of its rows, and refuses a room that the event type does not have', async ({ home }) => {
    const day = ['--from', '2027-03-02', '--to', '2027-03-02'];
    const { stdout } = await home.run('appointments', 'slots', 'Consultation', ...day, '--fields', 'date,day,start,event', '-o', 'csv');
    expect(stdout.split('\r\n')[1]).toBe('2027-03-02,Tue,09:00,Consultation');
    const { code, stderr } = await home.run('appointments', 'slots', 'Consultation', '--room', 'Green');
    expect([code, stderr.split('\n')[0]]).toEqual([2, "Error: Consultation has no room 'Green'"]);
  });

  it('reads the last day as the next one after the first', async ({ home }) => {
    const days = async (...argv: string[]) => [...new Set((await slots(home, ...argv)).map(({ date }) => date))];
    expect(await days('--from', 'sunday', '--to', 'tuesday', '--fields', 'date')).toEqual(['2027-03-07', '2027-03-08', '2027-03-09']);
    expect(await days('--from', 'tuesday', '--to', 'tuesday', '--fields', 'date')).toEqual(['2027-03-02']);
    expect(await days('--from', '2027-03-07', '--to', '1d', '--fields', 'date')).toEqual(['2027-03-07', '2027-03-08']);
  });

  it('shows slots in another zone, which also defines the days', async ({ home }) => {
    const tokyo = await slots(home, '--tz', 'Asia/Tokyo', '--from', '2027-03-02', '--to', '2027-03-02');
    expect(tokyo.map(({ slot, end }) => `${slot}-${end}`)).toEqual(['Tue 2 Mar 17:00-18:00', 'Tue 2 Mar 18:00-19:00']);
    // Tuesday morning in Berlin is still Monday in Honolulu.
    const honolulu = await slots(home, '--tz', 'Pacific/Honolulu', '--from', '2027-03-01', '--to', '2027-03-01');
    expect(honolulu.map(({ slot }) => slot)).toEqual(['Mon 1 Mar 02:00', 'Mon 1 Mar 03:00', 'Mon 1 Mar 22:00', 'Mon 1 Mar 23:00']);
    expect(await home.run('appointments', 'slots', 'Consultation', '--tz', 'Mars')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--tz'),
    });
  });

  it('shows the slots that the service offers on the day the clocks go back', async ({ home }) => {
    const rows = await slots(home, '--from', '2027-10-31', '--to', '2027-10-31');
    expect(rows.map(({ start, end, start_time: time }) => `${start}-${end} ${time?.slice(11, 16)}`)).toEqual([
      '01:00-02:00 23:00',
      '02:00 +02:00-02:00 +01:00 00:00',
      '03:00-04:00 02:00',
      '04:00-05:00 03:00',
    ]);
  });

  it.for([
    [['--from', 'never'], /--from 'never' must be/],
    [['--from', 'tomorrow', '--to', 'today'], /--to must not be before --from/],
    [['--to', '2029-01-01'], /--to must be less than 400 days/],
  ] as const)('%j is a usage error', async ([argv, message], { home }) => {
    expect(await home.run('appointments', 'slots', 'Consultation', ...argv)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
  });

  it('counts from the clock of the sandbox', async ({ home }) => {
    await home.run('sandbox', 'clock', 'freeze', '2028-06-05T00:00:00Z');
    expect((await slots(home))[0]?.slot).toBe('Mon 5 Jun 09:00');
  });
});

describe('a slot in words', () => {
  const berlin = 'Europe/Berlin';
  const read = async (home: Home, text: string, timezone = berlin) => readSlot(text, home.now, (await loadZones())(timezone), timezone);

  it.for([
    ['Tue 2 Mar 09:00', '2027-03-02T08:00:00.000Z'],
    ['Tue 2 Mar 09:00 (3)', '2027-03-02T08:00:00.000Z'],
    ['tuesday, 2. march 2027, 9:00', '2027-03-02T08:00:00.000Z'],
    ['2 Mar 09:00', '2027-03-02T08:00:00.000Z'],
    ['1 Mar 09:00', '2027-03-01T08:00:00.000Z'],
    ['28 Feb 09:00', '2028-02-28T08:00:00.000Z'],
    ['29 Feb 2028 09:00', '2028-02-29T08:00:00.000Z'],
    ['Sun 31 Oct 02:30', '2027-10-31T00:30:00.000Z'],
    ['2027-03-02 09:00', '2027-03-02T08:00:00.000Z'],
    ['2027-03-02T09:00', '2027-03-02T08:00:00.000Z'],
    ['02/03/2027 09:00', '2027-03-02T08:00:00.000Z'],
    ['2027-03-02T09:00:00Z', '2027-03-02T09:00:00Z'],
    ['2027-03-02T09:00:00+02:00', '2027-03-02T09:00:00+02:00'],
    ['tomorrow 9:00', '2027-03-02T08:00:00.000Z'],
    ['tue 9:00', '2027-03-02T08:00:00.000Z'],
  ] as const)('%s is %s', async ([text, instant], { home }) => {
    expect(await read(home, text)).toBe(instant);
  });

  it.for([
    ['Wed 2 Mar 09:00', /does not fit its day of the week: that date is Tue 2 Mar/],
    ['30 Feb 09:00', /does not exist/],
    ['Tue 2 Mar 25:00', /does not exist/],
    ['Sun 28 Mar 02:30', /the clocks go forward then/],
    ['Tue 2 Foo 09:00', /must be/],
    ['soon', /must be/],
  ] as const)('%s is refused', async ([text, message], { home }) => {
    await expect(read(home, text)).rejects.toThrow(message);
  });

  it('is read back as it was written', async ({ home }) => {
    const zone = (await loadZones())(berlin);
    for (const text of [
      'Tue 2 Mar 09:00',
      'Mon 1 Mar 00:00',
      'Sun 28 Feb 2027 23:00',
      'Fri 31 Dec 23:59',
      'Sat 1 Jan 2028 00:30',
      'Tue 29 Feb 2028 09:00',
      'Wed 1 Mar 2028 09:00',
      'Fri 2 Mar 2029 09:00',
      'Sun 31 Oct 02:00 +02:00',
      'Sun 31 Oct 02:00 +01:00',
      'Sun 28 Mar 01:30 +01:00',
    ]) {
      const start = Date.parse(await read(home, text));
      expect(periodWords({ start, end: start + 3_600_000 }, zone, home.now).words).toBe(text);
    }
  });
});

it('a period of a day or longer ends with a day', async ({ home }) => {
  const zone = (await loadZones())('UTC');
  const endOf = (start: string, end: string) => periodWords({ start: Date.parse(start), end: Date.parse(end) }, zone, home.now).end;
  expect(endOf('2027-03-02T23:00Z', '2027-03-03T00:00Z')).toBe('00:00');
  expect(endOf('2027-03-02T09:00Z', '2027-03-03T09:00Z')).toBe('Wed 3 Mar 09:00');
  expect(endOf('2027-12-31T09:00Z', '2028-01-02T10:00Z')).toBe('Sun 2 Jan 2028 10:00');
});

describe('appointments book', () => {
  it('books each slot of the grid in the same zone', async ({ home }) => {
    for (const tz of [[], ['--tz', 'America/New_York'], ['--tz', 'Pacific/Auckland']])
      for (const { slot = '', start_time } of (await slots(home, '--from', '2027-03-22', '--to', '2027-04-02', ...tz)).slice(0, 3)) {
        const { code, json } = await book(home, slot, ...tz);
        expect([code, json.appointment.start_time]).toEqual([0, start_time]);
      }
  });

  it('books a slot of another year, whose words include the year', async ({ home }) => {
    const day = ['--from', '2028-03-07', '--to', '2028-03-07'];
    const [first] = await slots(home, ...day);
    expect(first).toMatchObject({ slot: 'Tue 7 Mar 2028 09:00', day: 'Tue' });
    expect((await book(home, first?.slot ?? '')).json.appointment.start_time).toBe(first?.start_time);
    const grid = await home.runOnTerminal(80, 'appointments', 'slots', 'Consultation', '--from', '2028-03-06', '--to', '2028-03-07');
    expect(grid.stdout).toContain('Mon 6 Mar 2028  Tue 7 Mar 2028');
  });

  it('books a slot of next year, whose words include the year', async ({ home }) => {
    await home.run('sandbox', 'clock', 'freeze', '2027-12-30T12:00:00Z');
    const [first] = await slots(home, '--from', 'monday');
    expect(first?.slot).toBe('Mon 3 Jan 2028 09:00');
    const { json } = await book(home, first?.slot ?? '');
    expect(json.appointment.start_time).toBe('2028-01-03T08:00:00.000Z');
    const shown = await home.run('appointments', 'get', json.appointment.id as string, '--fields', 'when,until', '-o', 'csv');
    expect(shown.stdout).toBe('when,until\r\nMon 3 Jan 2028 09:00,10:00\r\n');
    expect(await book(home, 'Tue 3 Jan 09:00')).toMatchObject({ code: 2, stderr: expect.stringContaining('that date is Mon 3 Jan 2028') });
    const grid = await home.runOnTerminal(80, 'appointments', 'slots', 'Consultation', '--from', 'monday');
    expect(grid.stdout).toContain('Mon 3 Jan 2028');
  });

  it('books each of two slots at a local time that occurs twice', async ({ home }) => {
    const night = JSON.stringify({ sunday: { start_time: '00:00', end_time: '02:00' } });
    await createEvent(home, 'Call', '--timezone', 'UTC', '--availability', night);
    const day = ['--from', '2027-10-31', '--to', '2027-10-31', '--tz', 'Europe/Berlin'];
    const rows = await slotsOf(home, 'Call', ...day);
    expect(rows.map(({ slot, end }) => [slot, end])).toEqual([
      ['Sun 31 Oct 02:00 +02:00', '02:00 +01:00'],
      ['Sun 31 Oct 02:00 +01:00', '03:00 +01:00'],
    ]);
    for (const { slot = '', start_time } of rows) {
      const { json } = await home.run('appointments', 'book', 'Ada Lovelace', 'Call', slot, '--tz', 'Europe/Berlin', '-o', 'json');
      expect(json.appointment.start_time).toBe(start_time);
    }
    const shown = await home.run('appointments', 'list', '--tz', 'Europe/Berlin', '--fields', 'when,until', '-o', 'csv');
    expect(shown.stdout.split('\r\n').slice(1, 3).toSorted()).toEqual([
      'Sun 31 Oct 02:00 +01:00,03:00 +01:00',
      'Sun 31 Oct 02:00 +02:00,02:00 +01:00',
    ]);
  });

  it('shows a line for each of two slots at a local time that occurs twice', async ({ home }) => {
    const night = JSON.stringify({ sunday: { start_time: '00:00', end_time: '02:00' } });
    await createEvent(home, 'Call', '--timezone', 'UTC', '--availability', night);
    const day = ['--from', '2027-10-31', '--to', '2027-10-31', '--tz', 'Europe/Berlin'];
    const grid = await home.runOnTerminal(80, 'appointments', 'slots', 'Call', ...day);
    expect(grid.stdout.split('\n').filter((line) => line.includes('02:00'))).toEqual(['02:00 +02:00', '02:00 +01:00']);
  });

  it('reads a slot in the zone of an event type that --input names', async ({ home }) => {
    const file = join(home.path, 'booking.json');
    const event = (await home.run('events', 'get', 'Consultation', '-o', 'json')).json.event.id;
    writeFileSync(file, JSON.stringify({ event_id: event }));
    const { json } = await home.run('appointments', 'book', 'Ada Lovelace', '--slot', 'Tue 2 Mar 09:00', '--input', file, '-o', 'json');
    expect(json.appointment.start_time).toBe('2027-03-02T08:00:00.000Z');
  });

  it('explains refusals, and suggests free slots', async ({ home }) => {
    expect(await book(home, 'Tue 2 Mar 09:30')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("<slot> 'Tue 2 Mar 09:30' is not one of the slots"),
    });
    await book(home, 'Tue 2 Mar 09:00');
    const { code, stderr } = await book(home, 'Tue 2 Mar 09:00');
    expect([code, JSON.parse(stderr)]).toMatchObject([
      6,
      {
        message: 'All places at this time are taken',
        hint: "Next free slots: 'Tue 2 Mar 10:00', 'Sun 7 Mar 01:00', 'Sun 7 Mar 02:00'.",
      },
    ]);
    const other = (await book(home, 'Tue 9 Mar 09:00')).json.appointment.id as string;
    const moved = await home.run('appointments', 'reschedule', other, 'Tue 2 Mar 09:00');
    expect([moved.code, moved.stderr]).toEqual([6, expect.stringContaining("Next free slots: 'Tue 2 Mar 10:00'")]);
    expect((await home.run('appointments', 'book', 'Nobody', 'Consultation', 'Tue 2 Mar 10:00')).code).toBe(5);
    expect((await home.run('appointments', 'book', 'Ada Lovelace', 'Nothing', 'Tue 2 Mar 10:00')).code).toBe(5);
    expect((await book(home, 'Tue 2 Mar 10:00', '--room', 'Blue')).json.appointment.room_name).toBe('Blue');
  });

  it('suggests slots of the same evening west of UTC, where the UTC day has ended', async ({ home }) => {
    const hours = JSON.stringify({ tuesday: { start_time: '15:30', end_time: '18:00' } });
    await createEvent(home, 'Call', '--timezone', 'America/Los_Angeles', '--slot-minutes', '30', '--availability', hours);
    for (const slot of ['Tue 2 Mar 16:00', '2027-03-02T16:00:00-08:00', '2027-03-03T00:00:00Z']) {
      await home.run('appointments', 'book', 'Ada Lovelace', 'Call', slot);
      const { code, stderr } = await home.run('appointments', 'book', 'Ada Lovelace', 'Call', slot);
      expect([code, stderr]).toEqual([
        6,
        expect.stringContaining("Next free slots: 'Tue 2 Mar 16:30', 'Tue 2 Mar 17:00', 'Tue 2 Mar 17:30'."),
      ]);
    }
  });

  it('sends nothing in a dry run', async ({ home }) => {
    const { code, stdout } = await book(home, 'Tue 2 Mar 09:00', '--dry-run');
    expect([code, stdout]).toEqual([0, expect.stringContaining('2027-03-02T08:00:00.000Z')]);
    expect((await home.run('appointments', 'list', '-o', 'json')).json.appointments).toEqual([]);
  });
});

describe('an appointment', () => {
  it('is shown with its local time, its contact and its event type', async ({ home }) => {
    const id = (await book(home, 'Tue 2 Mar 09:00')).json.appointment.id as string;
    const { stdout } = await home.run('appointments', 'get', id);
    expect(stdout).toMatch(/^when +Tue 2 Mar 09:00\nuntil +10:00\ntimezone +Europe\/Berlin\ncontact +Ada Lovelace\nevent +Consultation$/m);
    const list = await home.runOnTerminal(80, 'appointments', 'list', '--tz', 'Asia/Tokyo');
    for (const text of [id, 'Tue 2 Mar 17:00', 'Consultation: Ada', 'Confirmed']) expect(list.stdout).toContain(text);
    expect(list.stderr).toContain('Times are in Asia/Tokyo.\n');
    const booked = await home.run('appointments', 'book', 'Ada Lovelace', 'Consultation', 'Tue 2 Mar 10:00', '--fields', 'when,contact');
    expect(booked.stdout).toBe('when     Tue 2 Mar 10:00\ncontact  Ada Lovelace\n');
    const moved = await home.run('appointments', 'reschedule', id, 'Tue 9 Mar 09:00', '--fields', 'when', '-o', 'json');
    expect(moved.json).toEqual({ appointment: { when: 'Tue 9 Mar 09:00' } });
    expect((await home.run('appointments', 'get', id, '-o', 'json')).json.appointment).not.toHaveProperty('when');
  });

  it('is shown without a deleted event type', async ({ home }) => {
    const id = (await book(home, 'Tue 2 Mar 09:00')).json.appointment.id as string;
    await home.run('events', 'delete', 'Consultation', '--yes');
    const { stdout } = await home.run('appointments', 'get', id, '--fields', 'when,timezone,contact');
    expect(stdout).toBe('when      Tue 2 Mar 08:00\ntimezone  UTC\ncontact   Ada Lovelace\n');
  });
});

describe('a booked appointment', () => {
  const booked = async (home: Home) => {
    const { id } = (await book(home, 'Tue 2 Mar 09:00')).json.appointment as { id: string };
    const change = async (...argv: string[]) => (await home.run('appointments', 'reschedule', id, ...argv, '-o', 'json')).json.appointment;
    return { id, change };
  };
  const listed = async (home: Home, ...argv: string[]) =>
    (await home.run('appointments', 'list', '-o', 'json', ...argv)).json.appointments.length as number;

  it('is moved to a time of a zone, and its texts are changed', async ({ home }) => {
    const { id, change } = await booked(home);
    expect(await change('Tue 9 Mar 10:00')).toMatchObject({ start_time: '2027-03-09T09:00:00.000Z', end_time: '2027-03-09T10:00:00.000Z' });
    expect(await change('Tue 9 Mar 03:00', '--tz', 'America/New_York')).toMatchObject({ start_time: '2027-03-09T08:00:00.000Z' });
    expect(await change('--summary', 'First visit', '--description', 'Bring the X-ray')).toMatchObject({ summary: 'First visit' });
    expect(await change('--description', '')).toMatchObject({ summary: 'First visit', description: null });
    expect((await home.run('appointments', 'get', 'First visit', '-o', 'json')).json.appointment.id).toBe(id);
    const nothing = await home.run('appointments', 'reschedule', id);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('There is nothing to change')]);
  });

  it('ends after its start, in the same zone', async ({ home }) => {
    const { id, change } = await booked(home);
    // An end is after the start that is given, or after that of the appointment, in the same zone.
    expect(await change('Mon 8 Mar 09:00', '--end-time', '10:30')).toMatchObject({ end_time: '2027-03-08T09:30:00.000Z' });
    expect(await change('--end-time', '9:45')).toMatchObject({ end_time: '2027-03-08T08:45:00.000Z' });
    expect(await change('--end-time', '4:30', '--tz', 'America/New_York')).toMatchObject({ end_time: '2027-03-08T09:30:00.000Z' });
    expect(await change('--end-time', '90m')).toMatchObject({ end_time: '2027-03-08T09:30:00.000Z' });
    expect(await change('--end-time', 'Mon 8 Mar 10:00')).toMatchObject({ end_time: '2027-03-08T09:00:00.000Z' });
    const wrong = await home.run('appointments', 'reschedule', id, '--end-time', 'later');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--end-time 'later' must be ")]);
  });

  it('is found by its contact and its day', async ({ home }) => {
    await (await booked(home)).change('Tue 9 Mar 10:00');
    expect(await listed(home, '--contact', 'Ada Lovelace', '--date', '2027-03-09')).toBe(1);
    expect(await listed(home, '--contact', 'Ada Lovelace', '--date', '2027-03-10')).toBe(0);
    expect(await listed(home, '--contact', 'Ada Lovelace', '--date', '8d')).toBe(1);
    expect(await listed(home, '--contact', 'Ada Lovelace', '--date', 'tuesday')).toBe(0);
    expect((await home.run('appointments', 'list', '--contact', 'Ada Lovelace', '--date', 'soon')).stderr).toContain(
      "--date 'soon' must be ",
    );
  });

  it('is canceled once, and deleted after a question', async ({ home }) => {
    const { id } = await booked(home);
    const canceled = await home.run('appointments', 'cancel', id, '--reason', 'Ill');
    expect([canceled.code, canceled.stderr]).toEqual([0, expect.stringContaining(`Canceled the appointment ${id}.`)]);
    expect(await listed(home, '--status', 'Canceled')).toBe(1);
    expect((await home.run('appointments', 'cancel', id)).code).toBe(1);
    expect((await home.run('appointments', 'delete', id)).code).toBe(2);
    expect((await home.run('appointments', 'delete', id, '--yes')).code).toBe(0);
    expect(await listed(home)).toBe(0);
  });
});

describe('a connected calendar', () => {
  const connect = async (home: Home, calendar: object) => {
    expect((await home.run('sandbox', 'accounts', 'update', '--calendar', JSON.stringify(calendar))).code).toBe(0);
  };

  it('is imported in the background or with --wait', async ({ home }) => {
    await home.run('campaigns', 'create', 'Practice');
    const failed = await home.run('appointments', 'import', '--campaign', 'Practice', '--wait');
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('The import failed: No calendar is connected')]);
    const asJson = await home.run('appointments', 'import', '--campaign', 'Practice', '--wait', '-o', 'json');
    expect(JSON.parse(asJson.stderr)).toMatchObject({ code: 'import_failed', status: 'failed', error: expect.any(String) });
    const none = await home.run('appointments', 'calendars');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No calendar is connected')]);
    const attendees = [{ email: 'ada@sample.example' }];
    await connect(home, {
      connected: true,
      calendars: [{ id: 'main', summary: 'Work', timeZone: 'UTC', accessRole: 'owner', primary: true }],
      events: [{ id: 'a', summary: 'Dentist', start: '2027-03-02T09:00:00Z', end: '2027-03-02T10:00:00Z', attendees }],
    });
    expect((await home.run('appointments', 'calendars', '-o', 'json')).json.data).toHaveLength(1);
    expect((await home.run('appointments', 'calendars')).stdout).toMatch(/TIME ZONE +ACCESS ROLE/);
    const { code, json } = await home.run('appointments', 'import', '--campaign', 'Practice', '--wait', '-o', 'json');
    expect([code, json]).toEqual([0, expect.objectContaining({ status: 'completed', message: '1 appointment imported, 0 updated' })]);
    const started = (await home.run('appointments', 'import', '--campaign', 'Practice', '-o', 'json')).json;
    const later = await home.run('appointments', 'import-status', started.job_id, '-o', 'json');
    expect(later.json).toMatchObject({ job_id: started.job_id, status: 'completed', message: '0 appointments imported, 1 updated' });
    expect((await home.run('appointments', 'import-status', 'imp_none')).code).toBe(5);
    expect((await home.run('appointments', 'import')).code).toBe(2);
  });

  it('takes iCalendar text', async ({ home }) => {
    await book(home, 'Tue 2 Mar 09:00');
    home.stdin = (await home.run('appointments', 'export', '--format', 'ics')).stdout;
    const { code } = await home.run('sandbox', 'accounts', 'update', '--calendar', '{"connected": true}', '--ics', '-');
    const { calendar } = (await home.run('sandbox', 'accounts', 'get', '-o', 'json')).json.account;
    expect([code, calendar]).toMatchObject([
      0,
      { connected: true, events: [{ summary: 'Consultation: Ada Lovelace', start: '2027-03-02T08:00:00.000Z' }] },
    ]);
  });
});

describe('appointments export', () => {
  /** The events of iCalendar text, as read by another library. */
  const events = (text: string) => Object.values(parseCalendar.parseICS(text)).filter((each): each is VEvent => each?.type === 'VEVENT');

  it('writes iCalendar text that other programs read', async ({ home }) => {
    await book(home, 'Tue 2 Mar 09:00', '--room', 'Upstairs; left, "blue" door');
    const { id } = (await book(home, 'Tue 9 Mar 10:00')).json.appointment;
    const description = `Bring the X-ray,\nthe letter; and ${'a long list of things, '.repeat(10)}ä 🦷`;
    await home.run('appointments', 'reschedule', id, '--summary', 'First visit', '--description', description);
    await home.run('appointments', 'cancel', (await book(home, 'Tue 9 Mar 09:00')).json.appointment.id);
    const { code, stdout } = await home.run('appointments', 'export', '--format', 'ics');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n[^]*END:VCALENDAR\r\n$/)]);
    for (const line of stdout.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(76);
    const [first, canceled, last, ...others] = events(stdout);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      summary: 'Consultation: Ada Lovelace',
      location: 'Upstairs; left, "blue" door',
      status: 'CONFIRMED',
      attendee: { params: { CN: 'Ada Lovelace' }, val: 'mailto:ada@sample.example' },
    });
    expect([first?.start.toISOString(), first?.end?.toISOString()]).toEqual(['2027-03-02T08:00:00.000Z', '2027-03-02T09:00:00.000Z']);
    expect([canceled?.status, last?.uid, last?.summary, last?.description]).toEqual(['CANCELLED', id, 'First visit', description]);
  });

  it('writes no line of its own for a line break or another control character in a text', async ({ home }) => {
    const name = `Ada\rURL:http://x.example/1\r\nURL:http://x.example/2\nURL:http://x.example/3\u0085\u000b`;
    const { id } = (await book(home, 'Tue 2 Mar 09:00', '--room', 'Upstairs; left, "blue" door')).json.appointment;
    await home.run('contacts', 'update', '+14155550123', '--first-name', name, '--last-name', 'Lovelace');
    await home.run('appointments', 'reschedule', id, '--description', name);
    const { stdout } = await home.run('appointments', 'export', '--format', 'ics');
    expect(stdout.split(/[\r\n\u0085\u000b]+/).filter((line) => line.startsWith('URL'))).toEqual([]);
    expect(stdout.replaceAll('\r\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    const shown = 'Ada\nURL:http://x.example/1\nURL:http://x.example/2\nURL:http://x.example/3';
    expect(events(stdout)[0]).toMatchObject({ summary: `Consultation: ${shown} Lovelace`, description: shown });
  });

  it('writes a file that only its owner can read, with the appointments that were chosen', async ({ home }) => {
    await book(home, 'Tue 2 Mar 09:00');
    await home.run('appointments', 'cancel', (await book(home, 'Tue 9 Mar 09:00')).json.appointment.id);
    const path = join(home.path, 'ada.ics');
    const { code, stderr } = await home.run('appointments', 'export', '--contact', '+14155550123', '--out', path);
    expect([code, stderr]).toEqual([0, `Exported 1 appointment to ${path}.\n`]);
    expect(events(readFileSync(path, 'utf8'))).toHaveLength(1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await home.run('appointments', 'export', '--out', path)).code).toBe(2);
    const named = await home.run('appointments', 'export', '--out', join(home.path, 'appointments.csv'));
    expect(named.code).toBe(2);
    expect(named.stderr).toContain('the file name must end in .ics');
    expect((await home.run('appointments', 'export', '--out', path, '--yes')).code).toBe(0);
    expect(events(readFileSync(path, 'utf8'))).toHaveLength(2);
    expect((await home.run('appointments', 'export', '--format', 'pdf')).code).toBe(2);
    expect((await home.run('appointments', 'export', '--query', 'length(appointments)')).stdout).toBe('2\n');
    expect((await home.run('appointments', 'export', '--fields', 'status', '-o', 'csv')).stdout).toBe(
      'status\r\nCanceled\r\nConfirmed\r\n',
    );
    expect((await home.run('appointments', 'export', '--jq', '.', '--out', path, '--yes')).code).toBe(2);
    expect((await home.run('appointments', 'export', '-o', 'json')).json.appointments).toHaveLength(2);
    expect(events((await home.run('appointments', 'export', '-o', 'json', '--format', 'ics')).stdout)).toHaveLength(2);
  });
});
