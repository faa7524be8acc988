import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect } from 'vitest';
import { loadZones } from '../../../../src/contract/time/zones.ts';
import { ICalendarReader, type ReadCalendar } from '../../../../src/service/areas/calendars/icalendar/reader.ts';
import { cases, tries } from '../../../support/sweeps.ts';
import { weekdays } from '../../../../src/contract/time/weekdays.ts';
import { it } from '../../../support/account-test.ts';
import { Events } from '../../../support/events.ts';
import { engine, forwarding, makeDatabase } from '../../../support/stores.ts';
import { epoch, TestService } from '../../../support/test-service.ts';
let contactId: string;

const hours = Object.fromEntries(weekdays.map((day) => [day, { start_time: '09:00', end_time: '11:00' }]));

it.beforeEach(async ({ service }) => {
  contactId = await contact(service, { phone_number: '+14155550123', email: 'Ada@sample.example', first_name: 'Ada' });
});

async function contact(service: TestService, fields: object): Promise<string> {
  return (await service.post('/contacts', fields)).body.contact.id as string;
}

async function booked(service: TestService, more: object = {}) {
  const event = (await service.post('/events', { name: 'Consultation', availability: hours, slot_minutes: 60 })).body.event.id as string;
  const answer = await service.post('/appointments', {
    contact_id: contactId,
    event_id: event,
    start_time: '2027-03-02T09:00:00Z',
    ...more,
  });
  expect(answer.status).toBe(201);
  return answer.body.appointment;
}

const setCalendar = (service: TestService, calendar: object) => service.sandbox('PATCH', `/accounts/${service.accountId}`, { calendar });

const calendar = async (service: TestService) => (await service.sandbox('GET', `/accounts/${service.accountId}`)).body.account.calendar;

const get = async (service: TestService, id: string) => (await service.get(`/appointments/${id}`)).body.appointment;

const list = async (service: TestService) => (await service.get('/appointments')).body.appointments;

const settle = (service: TestService) => service.sandbox('POST', '/settle');

const hold = (service: TestService, kinds: string[]) => service.sandbox('POST', '/jobs', { hold: kinds });

const own = { id: 'own-1', summary: 'Dentist', start: '2027-03-02T09:00:00Z', end: '2027-03-02T10:00:00Z', attendees: [] };

const attended = (id: string, ...attendees: object[]) => ({ ...own, id, attendees });

async function importEvents(service: TestService, identifier = 'EMAIL') {
  const { campaign } = (await service.post('/campaigns', { name: 'Practice' })).body;
  const started = await service.post('/appointments/import-calendar-events', { campaign_id: campaign.id, identifier });
  await settle(service);
  return (await service.get(`/appointments/import-calendar-events/${started.body.job_id}`)).body;
}

describe('the calendar sync', () => {
  // Proves rules appointments.38, appointments.39, appointments.40, sandbox.103.
  it('writes a booking to the connected calendar, and updates it after changes', async ({ service }) => {
    await setCalendar(service, { connected: true, events: [own] });
    await hold(service, ['calendar_sync']);
    const { id } = await booked(service);
    await settle(service);
    expect(await get(service, id)).toMatchObject({ ext_calendar_event_id: null, calendar_synced: false });
    expect((await calendar(service)).events).toEqual([own]);
    await hold(service, []);
    await settle(service);
    const synced = await get(service, id);
    expect(synced).toMatchObject({ ext_calendar_event_id: expect.any(String), calendar_synced: true });
    const event = {
      id: synced.ext_calendar_event_id,
      summary: 'Consultation: Ada',
      start: '2027-03-02T09:00:00.000Z',
      end: '2027-03-02T10:00:00.000Z',
      attendees: [{ email: 'Ada@sample.example', phone: '+14155550123' }],
    };
    expect((await calendar(service)).events).toEqual([own, event]);

    await service.put(`/appointments/${id}`, { start_time: '2027-03-03T10:00:00Z', summary: 'Check-up', description: 'Teeth' });
    await settle(service);
    const moved = { summary: 'Check-up', description: 'Teeth', start: '2027-03-03T10:00:00.000Z', end: '2027-03-03T11:00:00.000Z' };
    expect((await calendar(service)).events[1]).toEqual({ ...event, ...moved });
    expect((await get(service, id)).ext_calendar_event_id).toBe(event.id);

    // Synced events stay when the lists are replaced, even if the new list contains them.
    await setCalendar(service, { events: (await calendar(service)).events.slice(1) });
    expect((await calendar(service)).events).toEqual([{ ...event, ...moved }]);

    await service.post(`/appointments/${id}/cancel`);
    expect(await get(service, id)).toMatchObject({ status: 'Canceled', ext_calendar_event_id: null, calendar_synced: false });
    await settle(service);
    expect((await calendar(service)).events).toEqual([]);
  });

  // Proves rules appointments.32, appointments.38.
  it('removes a deleted appointment, and one that was canceled before it was synced', async ({ service }) => {
    await setCalendar(service, { connected: true });
    const { id } = await booked(service);
    await settle(service);
    await service.delete(`/appointments/${id}`);
    await settle(service);
    expect(await calendar(service)).toEqual({ connected: true, calendars: [], events: [] });
    await hold(service, ['calendar_sync']);
    const { id: second } = await booked(service);
    await service.post(`/appointments/${second}/cancel`);
    await hold(service, []);
    await settle(service);
    expect(await calendar(service)).toEqual({ connected: true, calendars: [], events: [] });
  });

  // Proves rule appointments.38.
  it('does nothing without a connected calendar', async ({ service }) => {
    const { id } = await booked(service);
    expect((await service.sandbox('GET', '/jobs')).body.waiting.calendar_sync).toBeUndefined();
    expect(await get(service, id)).toMatchObject({ ext_calendar_event_id: null, calendar_synced: false });
    expect(await calendar(service)).toEqual({ connected: false, calendars: [], events: [] });
  });
});

// Proves rule appointments.41.
it('the external calendars are those of the connected account', async ({ service }) => {
  expect((await service.get('/appointments/external-calendars')).status).toBe(400);
  const calendars = [{ id: 'main', summary: 'Work', timeZone: 'Europe/Berlin', accessRole: 'owner', primary: true }];
  await setCalendar(service, { connected: true, calendars });
  expect((await service.get('/appointments/external-calendars')).body).toEqual({ success: true, data: calendars });
  await setCalendar(service, { connected: false });
  expect((await service.get('/appointments/external-calendars')).status).toBe(400);
});

describe('a calendar import', () => {
  // Proves rules appointments.42, appointments.44.
  it.for([
    [{ identifier: 'EMAIL' }, 400],
    [{ identifier: 'EMAIL', campaign_id: 'CAMPAIGN', agent_id: 'AGENT' }, 400],
    [{ campaign_id: 'CAMPAIGN' }, 400],
    [{ campaign_id: 'CAMPAIGN', identifier: 'NAME' }, 400],
    [{ campaign_id: 'cmp_none', identifier: 'EMAIL' }, 404],
    [{ agent_id: 'agt_none', identifier: 'EMAIL' }, 404],
    [{ campaign_id: 'CAMPAIGN', identifier: 'EMAIL' }, 202],
    [{ agent_id: 'AGENT', identifier: 'PHONE_NUMBER' }, 202],
  ] as const)('with %j returns %i', async ([fields, status], { service }) => {
    const campaign = (await service.post('/campaigns', { name: 'Practice' })).body.campaign.id as string;
    const agent = (await service.post('/agents', { name: 'Front desk' })).body.agent_id as string;
    const body = JSON.parse(JSON.stringify(fields).replace('CAMPAIGN', campaign).replace('AGENT', agent)) as Record<string, unknown>;
    const answer = await service.post('/appointments/import-calendar-events', body);
    expect(answer.status).toBe(status);
    if (status === 202)
      expect(answer.body).toEqual({
        success: true,
        job_id: expect.any(String),
        status: 'queued',
        campaign_id: body.campaign_id ?? null,
        agent_id: body.agent_id ?? null,
      });
    expect((await service.get('/appointments/import-calendar-events/imp_none')).status).toBe(404);
  });

  // Proves rule appointments.43.
  it('is queued until it runs, and fails without a connected calendar', async ({ service }) => {
    await hold(service, ['calendar_import']);
    const { campaign } = (await service.post('/campaigns', { name: 'Practice' })).body;
    const { job_id: id } = (await service.post('/appointments/import-calendar-events', { campaign_id: campaign.id, identifier: 'EMAIL' }))
      .body;
    const status = async () => (await service.get(`/appointments/import-calendar-events/${id}`)).body;
    expect(await status()).toEqual({ success: true, job_id: id, status: 'queued', message: null, error: null });
    await hold(service, []);
    await settle(service);
    expect(await status()).toEqual({ success: true, job_id: id, status: 'failed', message: null, error: 'No calendar is connected' });
    const { api_key: key } = await service.makeAccount();
    expect((await service.get(`/appointments/import-calendar-events/${id}`, { key })).status).toBe(404);
  });

  // Proves rules appointments.45, appointments.46, appointments.47, appointments.48.
  it('creates appointments from events with a contact, and updates them when repeated', async ({ service }) => {
    const events = await Events.of(service);
    const first = attended('a', { email: 'nobody@sample.example' }, { email: 'ADA@sample.EXAMPLE' });
    await setCalendar(service, { connected: true, events: [first, attended('b', { phone: '+14155550123' }), own] });
    const { id } = await booked(service);
    await events.take();
    expect(await importEvents(service)).toMatchObject({
      status: 'completed',
      message: '1 appointment imported, 0 updated; 2 events left out, because no attendee is among the contacts',
      error: null,
    });
    const [imported, ...others] = await list(service);
    expect(others.map((each: { id: string }) => each.id)).toEqual([id]);
    expect(imported).toMatchObject({
      contact_id: contactId,
      event_id: null,
      status: 'Confirmed',
      start_time: '2027-03-02T09:00:00.000Z',
      end_time: '2027-03-02T10:00:00.000Z',
      summary: 'Dentist',
      description: null,
      ext_calendar_event_id: 'a',
      calendar_synced: true,
      imported: true,
      is_recurring: false,
    });
    await setCalendar(service, { events: [{ ...first, summary: 'Dentist, second try', end: '2027-03-02T11:00:00Z' }] });
    expect((await importEvents(service)).message).toBe('0 appointments imported, 1 updated');
    expect(await list(service)).toHaveLength(2);
    expect((await list(service))[0]).toMatchObject({
      id: imported.id,
      summary: 'Dentist, second try',
      end_time: '2027-03-02T11:00:00.000Z',
    });
    expect((await service.put(`/appointments/${imported.id}`, { start_time: '2027-03-02T10:00:00Z' })).status).toBe(200);
    expect((await service.post(`/appointments/${imported.id}/cancel`, {})).status).toBe(200);
    expect(await events.names()).toEqual([]);
    await events.close();
    const counts = await service.write((db) =>
      db.selectFrom('daily_counts').select('booked').where('account_id', '=', service.accountId).where('booked', '>', 0).execute(),
    );
    expect(counts).toEqual([{ booked: 1 }]);
  });

  // Proves rule appointments.45.
  it('finds contacts by phone numbers in any format', async ({ service }) => {
    await setCalendar(service, {
      connected: true,
      events: [attended('a', { phone: 'soon' }, { phone: '+1 (415) 555-0123' }), attended('b')],
    });
    expect((await importEvents(service, 'PHONE_NUMBER')).message).toMatch(/^1 appointment imported, 0 updated; 1 event left out/);
    expect(await list(service)).toMatchObject([{ contact_id: contactId, ext_calendar_event_id: 'a' }]);
  });

  // Proves rules appointments.16, appointments.47.
  it('takes no place in a slot', async ({ service }) => {
    await setCalendar(service, { connected: true, events: [attended('a', { email: 'ada@sample.example' })] });
    await importEvents(service);
    await booked(service);
    expect(await list(service)).toHaveLength(2);
  });

  // Proves rule appointments.49.
  it('is synced afterwards: a change updates the event, and a cancellation removes it', async ({ service }) => {
    await setCalendar(service, { connected: true, events: [attended('a', { email: 'ada@sample.example' }), own] });
    await importEvents(service);
    const [{ id }] = await list(service);
    await service.put(`/appointments/${id}`, { start_time: '2027-03-05T07:03:00Z' });
    await settle(service);
    expect((await calendar(service)).events[0]).toEqual({
      id: 'a',
      summary: 'Dentist',
      start: '2027-03-05T07:03:00.000Z',
      end: '2027-03-05T08:03:00.000Z',
      attendees: [{ email: 'ada@sample.example' }],
    });
    await service.post(`/appointments/${id}/cancel`);
    await settle(service);
    expect((await calendar(service)).events).toEqual([own]);
    expect((await importEvents(service)).message).toMatch(/^0 appointments imported, 0 updated; 1 event left out/);
  });

  // Proves rule appointments.48.
  it('leaves an appointment canceled whose event stays in the calendar', async ({ service }) => {
    const events = [attended('a', { email: 'ada@sample.example' })];
    await setCalendar(service, { connected: true, events });
    await importEvents(service);
    const [{ id }] = await list(service);
    await setCalendar(service, { connected: false });
    await service.post(`/appointments/${id}/cancel`);
    await setCalendar(service, { connected: true });
    expect((await importEvents(service)).message).toBe('0 appointments imported, 0 updated');
    expect(await list(service)).toMatchObject([{ id, status: 'Canceled', ext_calendar_event_id: null }]);
  });

  // Proves rules appointments.45, appointments.48.
  it('creates one appointment per event, also across several steps', async ({ service }) => {
    await contact(service, { phone_number: '+14155550124', email: 'ada@sample.example' });
    const events = Array.from({ length: 450 }, (_, index) => attended(`e${index}`, { email: 'ada@sample.example' }));
    await setCalendar(service, { connected: true, events });
    expect((await importEvents(service)).message).toBe('450 appointments imported, 0 updated');
    expect((await importEvents(service)).message).toBe('0 appointments imported, 450 updated');
    expect((await service.get(`/appointments?contact_id=${contactId}&limit=100`)).body.next_cursor).not.toBeNull();
  });
});

/** iCalendar text with the lines of some components. */
const ics = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR'].join('\r\n');

const vevent = (...lines: string[]) => {
  const usual = ['UID:one', 'SUMMARY:Check-up'].filter((line) => !lines.some((each) => each.startsWith(line.slice(0, 4))));
  return ['BEGIN:VEVENT', ...usual, ...lines, 'END:VEVENT'];
};

const berlin = 'DTSTART;TZID=Europe/Berlin:20270302T100000';

/** A zone that is defined only in the text: UTC+1, in summer UTC+2. */
const practiceZone = [
  'BEGIN:VTIMEZONE',
  'TZID:Practice Time',
  ...[
    'BEGIN:STANDARD',
    'DTSTART:19701025T030000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
    'END:STANDARD',
  ],
  ...[
    'BEGIN:DAYLIGHT',
    'DTSTART:19700329T020000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    'END:DAYLIGHT',
  ],
  'END:VTIMEZONE',
];

// What reads a text knows no store.
describe.runIf(engine === 'sqlite')('iCalendar text', () => {
  const read = async (service: TestService, text: string) => {
    const { status, body } = await setCalendar(service, { connected: true, ics: text });
    expect(status, JSON.stringify(body.error)).toBe(200);
    return body.account.calendar.events as { id: string; start: string; end: string; summary: string; recurrence?: object }[];
  };

  const starts = async (service: TestService, text: string) =>
    (await read(service, text)).map(({ start }) => start.replace(':00.000Z', 'Z'));

  // Proves rules sandbox.104, sandbox.108.
  it('replaces the list with its events and their attendees', async ({ service }) => {
    const text = ics(
      ...vevent(
        berlin,
        'DURATION:PT45M',
        'DESCRIPTION:Bring the\\nX-ray',
        'ATTENDEE;CN=Ada:mailto:ada@sample.example',
        'ATTENDEE:tel:+14155550123',
        'ATTENDEE:urn:uuid:1',
      ),
    );
    await setCalendar(service, { events: [own] });
    expect(await read(service, text)).toEqual([
      {
        id: 'one',
        summary: 'Check-up',
        description: 'Bring the\nX-ray',
        start: '2027-03-02T09:00:00.000Z',
        end: '2027-03-02T09:45:00.000Z',
        attendees: [{ email: 'ada@sample.example' }, { phone: '+14155550123' }],
      },
    ]);
    expect(await calendar(service)).not.toHaveProperty('ics');
  });

  // Proves rules sandbox.105, sandbox.106, sandbox.109.
  it('yields each occurrence of a recurring event in its zone, with its exceptions', async ({ service }) => {
    const text = ics(
      ...vevent(
        berlin,
        'DTEND;TZID=Europe/Berlin:20270302T110000',
        'RRULE:FREQ=WEEKLY;COUNT=7',
        'EXDATE;TZID=Europe/Berlin:20270309T100000',
        'EXDATE:20270316T090000Z',
      ),
      ...vevent('RECURRENCE-ID;TZID=Europe/Berlin:20270323T100000', 'DTSTART:20270324T120000Z', 'DTEND:20270324T123000Z', 'SUMMARY:Moved'),
      ...vevent('RECURRENCE-ID:20270330T080000Z', 'DTSTART:20270330T080000Z', 'STATUS:CANCELLED'),
    );
    const events = await read(service, text);
    expect(events.map(({ summary }) => summary)).toEqual(['Check-up', 'Moved', 'Check-up', 'Check-up']);
    expect(events.map(({ id, start, end }) => [id, start, end])).toEqual([
      ['one_20270302T090000Z', '2027-03-02T09:00:00.000Z', '2027-03-02T10:00:00.000Z'],
      ['one_20270323T090000Z', '2027-03-24T12:00:00.000Z', '2027-03-24T12:30:00.000Z'],
      // Ten o'clock in summer is eight in UTC.
      ['one_20270406T080000Z', '2027-04-06T08:00:00.000Z', '2027-04-06T09:00:00.000Z'],
      ['one_20270413T080000Z', '2027-04-13T08:00:00.000Z', '2027-04-13T09:00:00.000Z'],
    ]);
    expect(events[2]?.recurrence).toEqual({ event_id: 'one', frequency: 'WEEKLY', interval: 1, sequence: 6, count: 7 });
  });

  // Proves rule appointments.50.
  it('gives imported appointments their recurrence fields', async ({ service }) => {
    await read(
      service,
      ics(...vevent(berlin, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3', 'ATTENDEE:mailto:ada@sample.example')),
    );
    await importEvents(service);
    expect((await list(service)).reverse()).toMatchObject(
      [1, 2, 3].map((recurring_sequence) => ({
        is_recurring: true,
        recurrence_frequency: 'WEEKLY',
        recurring_event_id: 'one',
        recurring_interval: 2,
        recurring_sequence,
        end_after_x_occurrences: 3,
      })),
    );
  });

  // Proves rule sandbox.105.
  it('is expanded for one year from now, up to 1,000 occurrences', async ({ service }) => {
    const daily = await starts(service, ics(...vevent('DTSTART:20260101T110000Z', 'RRULE:FREQ=DAILY')));
    expect([daily.length, daily[0], daily.at(-1)]).toEqual([366, '2027-03-02T11:00Z', '2028-03-01T11:00Z']);
    const hourly = await starts(service, ics(...vevent('DTSTART:20270301T000000Z', 'RRULE:FREQ=HOURLY')));
    expect([hourly.length, hourly[0]]).toEqual([1000, '2027-03-01T12:00Z']);
    const first = vevent('DTSTART:20270301T000000Z', 'RRULE:FREQ=HOURLY');
    const second = vevent('UID:two', 'DTSTART:20270301T003000Z', 'RRULE:FREQ=HOURLY');
    const merged = await starts(service, ics(...first, ...second, ...vevent('UID:old', 'DTSTART:20200101T000000Z')));
    expect([merged.length, ...merged.slice(0, 3)]).toEqual([1001, '2020-01-01T00:00Z', '2027-03-01T12:00Z', '2027-03-01T12:30Z']);
  });

  // Proves rules sandbox.105, sandbox.106.
  it.for<[string, string[], string[]]>([
    ['until an instant', ['RRULE:FREQ=WEEKLY;UNTIL=20270316T090000Z'], ['02T09:00', '09T09:00', '16T09:00']],
    ['until a day', ['RRULE:FREQ=WEEKLY;UNTIL=20270316'], ['02T09:00', '09T09:00', '16T09:00']],
    ['on further dates', ['RDATE;TZID=Europe/Berlin:20270304T100000,20270305T150000'], ['02T09:00', '04T09:00', '05T14:00']],
    [
      'by rule and further dates',
      ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;TZID=Europe/Berlin:20270302T100000,20270305T150000'],
      ['02T09:00', '03T09:00', '05T14:00'],
    ],
    ['except on dates', ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;VALUE=DATE:20270303,20270304'], ['02T09:00', '05T09:00']],
    ['on weekdays', ['RRULE:FREQ=MONTHLY;BYDAY=1TU,-1WE;COUNT=2'], ['02T09:00', '31T08:00']],
  ])('supports events that recur %s', async ([_, lines, expected], { service }) => {
    const found = await starts(service, ics(...vevent(berlin, 'DURATION:PT1H', ...lines)));
    expect(found.map((start) => start.slice(8, 16))).toEqual(expected);
  });

  // Proves rule sandbox.106.
  it('can change all occurrences from a given one on', async ({ service }) => {
    const text = ics(
      ...vevent(berlin, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'),
      ...vevent(
        'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20270303T100000',
        'DTSTART;TZID=Europe/Berlin:20270303T120000',
        'DURATION:PT2H',
        'SUMMARY:Later',
      ),
    );
    expect((await read(service, text)).map(({ summary, start, end }) => [summary, start, end])).toEqual([
      ['Check-up', '2027-03-02T09:00:00.000Z', '2027-03-02T10:00:00.000Z'],
      ['Later', '2027-03-03T11:00:00.000Z', '2027-03-03T13:00:00.000Z'],
      ['Later', '2027-03-04T11:00:00.000Z', '2027-03-04T13:00:00.000Z'],
    ]);
  });

  // Proves rule sandbox.107.
  it('uses the zone of each time', async ({ service }) => {
    await setCalendar(service, { calendars: [{ id: 'main', summary: '', timeZone: 'Asia/Tokyo', accessRole: 'owner', primary: true }] });
    const summer = 'DTSTART;TZID=Practice Time:20270702T100000';
    expect(await starts(service, ics(...practiceZone, ...vevent(summer)))).toEqual(['2027-07-02T08:00Z']);
    expect(await starts(service, ics(...vevent('DTSTART:20270302T100000')))).toEqual(['2027-03-02T01:00Z']);
    expect(await starts(service, ics('X-WR-TIMEZONE:Europe/Berlin', ...vevent('DTSTART:20270302T100000')))).toEqual(['2027-03-02T09:00Z']);
    const [wholeDay] = await read(service, ics('X-WR-TIMEZONE:Europe/Berlin', ...vevent('DTSTART;VALUE=DATE:20270328')));
    expect([wholeDay?.start, wholeDay?.end]).toEqual(['2027-03-27T23:00:00.000Z', '2027-03-28T22:00:00.000Z']);
    const repeated = ics(
      ...practiceZone,
      ...vevent('DTSTART;TZID=Practice Time:20270326T100000', 'RRULE:FREQ=DAILY;UNTIL=20270328T080000Z'),
    );
    expect(await starts(service, repeated)).toEqual(['2027-03-26T09:00Z', '2027-03-27T09:00Z', '2027-03-28T08:00Z']);
  });

  it('may contain occurrences without their series', async ({ service }) => {
    const text = ics(...vevent('RECURRENCE-ID:20270330T080000Z', 'DTSTART:20270330T093000Z'));
    expect(await read(service, text)).toMatchObject([{ id: 'one_20270330T080000Z', start: '2027-03-30T09:30:00.000Z' }]);
    expect(await read(service, ics(...vevent(berlin, 'STATUS:CANCELLED')))).toEqual([]);
    const nameless = ['BEGIN:VEVENT', berlin, 'END:VEVENT'];
    expect((await read(service, ics(...nameless, ...nameless))).map(({ id }) => id)).toEqual(['event-1', 'event-2']);
  });

  // Proves rules sandbox.107, sandbox.114.
  it('reads times in zones of all spellings, in winter and in summer', async ({ service }) => {
    const zones = [
      ['W. Europe Standard Time', 'Europe/Berlin'],
      ['"W. Europe Standard Time"', 'Europe/Berlin'],
      ['w. europe standard time', 'Europe/Berlin'],
      ['W. Europe Standard Time 1', 'Europe/Berlin'],
      ['W. Europe Daylight Time', 'Europe/Berlin'],
      ['Romance Standard Time', 'Europe/Paris'],
      ['GMT Standard Time', 'Europe/London'],
      ['Eastern Standard Time', 'America/New_York'],
      ['AUS Eastern Standard Time', 'Australia/Sydney'],
      ['Central Standard Time (Mexico)', 'America/Mexico_City'],
      ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
      ['"(UTC-05:00) Eastern Time (US & Canada)"', 'America/New_York'],
      ['(UTC-05:00) Eastern Time (US and Canada)', 'America/New_York'],
      ['(GMT-05:00) Eastern Time (US & Canada)', 'America/New_York'],
      ['Eastern Time (US & Canada)', 'America/New_York'],
      ['(UTC-08:00) Pacific Time (US & Canada)', 'America/Los_Angeles'],
      ['(UTC-06:00) Central America', 'America/Guatemala'],
      ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
      ['(UTC+00:00) Dublin, Edinburgh, Lisbon, London', 'Europe/London'],
      ['(UTC+02:00) Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius', 'Europe/Helsinki'],
      ['(UTC+03:00) Moscow, St. Petersburg', 'Europe/Moscow'],
      ['(UTC-07:00) Arizona', 'America/Phoenix'],
      ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
      ['/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
      ['/mozilla.org/20050126_1/Europe/Berlin', 'Europe/Berlin'],
      ['/citadel.org/20210210_1/America/New_York', 'America/New_York'],
      ['tzone://Microsoft/Utc', 'UTC'],
      ['europe/berlin', 'Europe/Berlin'],
      ['US/Eastern', 'America/New_York'],
      ['GMT+0200', '+02:00'],
      ['UTC-03:30', '-03:30'],
      ['+0530', '+05:30'],
      ['(UTC+02:00)', '+02:00'],
    ] as const;
    const events = zones.map(([name], index) =>
      vevent(
        ...[`UID:${index}`, `DTSTART;TZID=${name}:20270302T090000`, 'RRULE:FREQ=MONTHLY;COUNT=6'],
        `EXDATE;TZID=${name}:20270402T090000`,
      ),
    );
    const { body } = await setCalendar(service, { connected: true, ics: ics(...events.flat()) });
    expect(body.left_out).toEqual([]);
    const found = Map.groupBy(body.account.calendar.events as { id: string; start: string }[], ({ id }) => Number(id.split('_')[0]));
    for (const [index, [name, zone]] of zones.entries()) {
      const local = [3, 5, 6, 7, 8].map((month) => Temporal.PlainDateTime.from({ year: 2027, month, day: 2, hour: 9 }));
      const expected = local.map((time) => new Date(time.toZonedDateTime(zone).epochMilliseconds).toISOString());
      expect(
        found.get(index)?.map(({ start }) => start),
        name,
      ).toEqual(expected);
    }
  });

  // Proves rule sandbox.107.
  it('takes the zones of Windows for all times of a text', async ({ service }) => {
    const definedAsTokyo = practiceZone.map((line) => line.replace('Practice Time', 'Tokyo Standard Time'));
    const tokyo = 'DTSTART;TZID=Tokyo Standard Time:20270702T100000';
    // What the text defines comes first, unless it is not whole.
    expect(await starts(service, ics(...definedAsTokyo, ...vevent(tokyo)))).toEqual(['2027-07-02T08:00Z']);
    const withoutOffset = definedAsTokyo.filter((line) => !line.startsWith('TZOFFSETTO'));
    expect(await starts(service, ics(...withoutOffset, ...vevent(tokyo)))).toEqual(['2027-07-02T01:00Z']);
    const local = vevent('DTSTART:20270302T100000');
    expect(await starts(service, ics('X-WR-TIMEZONE:Tokyo Standard Time', ...local))).toEqual(['2027-03-02T01:00Z']);
    await setCalendar(service, {
      calendars: [{ id: 'main', summary: '', timeZone: 'Tokyo Standard Time', accessRole: 'owner', primary: true }],
    });
    expect(await starts(service, ics(...local))).toEqual(['2027-03-02T01:00Z']);
    // Each calendar of a text has its own.
    const both = `${ics('X-WR-TIMEZONE:Europe/Berlin', ...local)}\r\n${ics(...vevent('UID:two', 'DTSTART:20270302T100000'))}`;
    expect(await starts(service, both)).toEqual(['2027-03-02T09:00Z', '2027-03-02T01:00Z']);
  });

  // Proves rules sandbox.108, sandbox.114.
  it.for<[string, string]>([
    ['a date without VALUE', ics(...vevent('DTSTART:20270302')).replace('X', '')],
    ['a date that says it is a time', ics(...vevent('DTSTART;VALUE=DATE-TIME:20270302'))],
    ['a time that says it is a date', ics(...vevent('DTSTART;VALUE=DATE:20270302T000000Z'))],
    ['a time without seconds', ics(...vevent('DTSTART:20270302T0000Z'))],
    ['a time with separators', ics(...vevent('DTSTART:2027-03-02T00:00:00Z'))],
    ['lines after the end', `${ics(...vevent('DTSTART:20270302T000000Z'))}\r\nX-NOTE:cached`],
    ['lines before the beginning', `\uFEFF\r\nX-NOTE:cached\r\n${ics(...vevent('DTSTART:20270302T000000Z'))}`],
    ['no ends', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:one\nSUMMARY:Check-up\nDTSTART:20270302T000000Z'],
    ['no calendar', vevent('DTSTART:20270302T000000Z').join('\n')],
    ['old line ends', ics(...vevent('DTSTART:20270302T000000Z')).replaceAll('\r\n', '\r')],
    [
      'lower case',
      ics(...vevent('dtstart:20270302t000000z', 'rrule:freq=daily;count=1')).replace(/(BEGIN|END):V/g, (line) => line.toLowerCase()),
    ],
    ['lines that are none', ics('x', ...vevent('DTSTART:20270302T000000Z', '', 'no colon', ';:', '"'), '\u0001')],
    ['empty dates', ics(...vevent('DTSTART:20270302T000000Z', 'DTEND:', 'EXDATE:', 'RRULE:'))],
    ['an end before the start', ics(...vevent('DTSTART:20270302T000000Z', 'DTEND:20270301T000000Z'))],
    ['an alarm', ics(...vevent('DTSTART:20270302T000000Z', 'BEGIN:VALARM', 'TRIGGER:-PT5M', 'DURATION:PT1', 'END:VALARM'))],
    ['an end too many', ics(...vevent('DTSTART:20270302T000000Z'), 'END:VEVENT', 'END:VTIMEZONE')],
    ['an alarm without an end', ics(...vevent('DTSTART:20270302T000000Z', 'BEGIN:VALARM', 'TRIGGER:x'))],
    ['other components', ics('BEGIN:VTODO', 'DTSTART:x', 'END:VTODO', 'BEGIN:X-Y', 'END:X-Z', ...vevent('DTSTART:20270302T000000Z'))],
  ])('with %s is read', async ([_, text], { service }) => {
    const { status, body } = await setCalendar(service, { connected: true, ics: text });
    expect([status, body.left_out]).toEqual([200, []]);
    expect(body.account.calendar.events).toMatchObject([{ summary: 'Check-up', start: '2027-03-02T00:00:00.000Z' }]);
  });

  // Proves rules sandbox.108, sandbox.114.
  it('finds attendees in any spelling, and in lines that are damaged', async ({ service }) => {
    const attendees = [
      'ATTENDEE;CN="Lund, Nora":MAILTO:NORA@lund.example',
      'ATTENDEE;CN=Lund, Ole;ROLE=REQ-PARTICIPANT:mailto:ole@lund.example',
      'ATTENDEE;CN="Lund:mailto:eva@lund.example',
      'attendee;email=ada@sample.example:urn:uuid:1',
      'ATTENDEE;CN=Ada;:mailto:ada@sample.example',
      'ATTENDEE',
    ];
    const [event] = (await read(service, ics(...vevent(berlin, ...attendees)))) as unknown as [{ attendees: { email: string }[] }];
    expect(event.attendees.map(({ email }) => email)).toEqual([
      'NORA@lund.example',
      'ole@lund.example',
      'eva@lund.example',
      'ada@sample.example',
      'ada@sample.example',
    ]);
    await importEvents(service);
    expect(await list(service)).toMatchObject([{ contact_id: contactId }]);
  });

  // Proves rules sandbox.106, sandbox.114.
  it('may be several calendars, each with an event of a series', async ({ service }) => {
    const series = ics(...vevent(berlin, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'));
    const moved = ics(...vevent('RECURRENCE-ID;TZID=Europe/Berlin:20270303T100000', 'DTSTART;TZID=Europe/Berlin:20270303T120000'));
    expect(await starts(service, `${series}\r\n${moved}`)).toEqual(['2027-03-02T09:00Z', '2027-03-03T11:00Z']);
    expect(await starts(service, `${ics()}\n${series.replace('BEGIN:VCALENDAR', '')}`)).toEqual(['2027-03-02T09:00Z', '2027-03-03T09:00Z']);
    const nameless = ics('BEGIN:VEVENT', berlin, 'END:VEVENT');
    expect((await read(service, `${nameless}\n${nameless}`)).map(({ id }) => id)).toEqual(['event-1', 'event-2']);
  });

  // Proves rule sandbox.114.
  it('keeps a series whose change cannot be read', async ({ service }) => {
    const changed = vevent('RECURRENCE-ID;TZID=Nowhere:20270303T100000', 'DTSTART;TZID=Europe/Berlin:20270303T120000');
    const { body } = await setCalendar(service, { ics: ics(...vevent(berlin, 'RRULE:FREQ=DAILY;COUNT=2'), ...changed) });
    expect(body.left_out).toEqual([{ uid: 'one', reason: "the time zone 'Nowhere' is not known" }]);
    expect(body.account.calendar.events).toHaveLength(2);
  });

  // Proves rule sandbox.114.
  it('loses at most one event to a damaged line', async () => {
    const events = [
      vevent('UID:0', 'SUMMARY:0', 'DTSTART;TZID=W. Europe Standard Time:20270302T100000', 'BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VALARM'),
      vevent('UID:1', 'SUMMARY:1', berlin, 'RRULE:FREQ=WEEKLY;COUNT=1', 'ATTENDEE:mailto:ada@sample.example'),
      vevent('UID:2', 'SUMMARY:2', 'DTSTART;VALUE=DATE:20270304', 'DESCRIPTION:a', '\tlong', ' text'),
    ];
    const lines = ics(...events.flat()).split('\r\n');
    const damage = fc.constantFrom(
      '',
      'x',
      ':',
      ';',
      ' folded',
      'BEGIN:',
      'END:X',
      'BEGIN:X',
      'DTSTART:x',
      'RRULE:x',
      '"',
      '\0'.replace('\0', '\u0001'),
    );
    const reader = async () => {
      const findZone = await loadZones();
      return (text: string) =>
        new ICalendarReader(findZone, { now: epoch, timezone: 'UTC', begin: () => undefined }).read(text) as ReadCalendar;
    };
    const readText = await reader();
    const titles = (text: string) => readText(text).events.map(({ summary, start }) => `${summary} ${start}`);
    const whole = titles(lines.join('\r\n'));
    expect(whole).toHaveLength(3);
    fc.assert(
      fc.property(fc.nat({ max: lines.length - 1 }), fc.option(damage, { nil: undefined }), (index, by) => {
        const damaged = by === undefined ? lines.toSpliced(index, 1) : lines.with(index, by);
        const found = titles(damaged.join('\r\n'));
        expect(whole.filter((title) => !found.includes(title)).length, damaged.join('\n')).toBeLessThanOrEqual(1);
      }),
      { numRuns: tries(500) },
    );
  });

  // Proves rules sandbox.104, sandbox.113.
  it('leaves out events that cannot be read, says why, and reads the others', async ({ service }) => {
    const damaged: [reason: string, lines: string[]][] = [
      ['it has no DTSTART', []],
      ['it has no DTSTART', ['DTSTART']],
      ['it has no DTSTART', ['DTSTART:']],
      ["the time zone 'Nowhere' is not known", ['DTSTART;TZID=Nowhere:20270302T100000']],
      ["the time zone '(UTC+03:00) Nowhere' is not known", ['DTSTART;TZID=(UTC+03:00) Nowhere:20270302T100000']],
      [`the time zone '${'X'.repeat(100)}' is not known`, [`DTSTART;TZID=${'X'.repeat(500_000)}:20270302T100000`]],
      ["the time zone 'Nowhere' is not known", [berlin, 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE;TZID=Nowhere:20270303T100000']],
      ['its DTSTART cannot be read', ['DTSTART:tomorrow']],
      ['its DTSTART cannot be read', ['DTSTART:20271302T100000Z']],
      ['its DTSTART cannot be read', ['DTSTART:20270230T100000Z']],
      ['its DTSTART cannot be read', ['DTSTART:20270302T250000Z']],
      ['its DTEND cannot be read', [berlin, 'DTEND:late']],
      ['its DURATION cannot be read', [berlin, 'DURATION:PT1']],
      ['its EXDATE cannot be read', [berlin, 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20270303T100000,never']],
      ['its RRULE cannot be read', [berlin, 'RRULE:FREQ=SOMETIMES']],
      ['its RRULE cannot be read', [berlin, 'RRULE:weekly']],
      ['its RRULE cannot be read', [berlin, 'RRULE:FREQ=DAILY;COUNT=x']],
      ['its RRULE cannot be read', [berlin, 'RRULE:FREQ=DAILY;COUNT=-1']],
      ['its RRULE cannot be read', [berlin, 'RRULE:FREQ=DAILY;UNTIL=soon']],
      ['its RRULE cannot be read', [berlin, 'RRULE:FREQ=DAILY;UNTIL=20270230']],
      ['its RRULE cannot be read', [berlin, 'RRULE:FREQ=WEEKLY;BYDAY=XX']],
      ['summary: must be at most 10000 characters', [berlin, `SUMMARY:${'x'.repeat(10_001)}`]],
      // The text is repeated in each of a thousand occurrences.
      ['summary: must be at most 10000 characters', [berlin, 'RRULE:FREQ=HOURLY', `SUMMARY:${'x'.repeat(500_000)}`]],
      ['its rule never applies, or repeats too often', [berlin, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30']],
      ['its rule never applies, or repeats too often', ['DTSTART:20000302T100000Z', 'RRULE:FREQ=SECONDLY']],
    ];
    const events = damaged.map(([, lines], index) => vevent(`UID:${index}`, ...lines));
    const text = ics(...vevent('UID:a', berlin), ...events.flat(), ...vevent('UID:b', berlin, 'RRULE:FREQ=DAILY;COUNT=1'));
    const { status, body } = await setCalendar(service, { connected: true, ics: text });
    expect(status).toBe(200);
    const reasons = new Map((body.left_out as { uid: string; reason: string }[]).map(({ uid, reason }) => [uid, reason]));
    for (const [index, [reason]] of damaged.entries()) expect(reasons.get(String(index)), String(index)).toBe(reason);
    expect(body.left_out).toHaveLength(damaged.length);
    expect(body.account.calendar.events).toMatchObject([{ id: 'a' }, { id: 'b_20270302T090000Z' }]);
  });

  const endlessRules: readonly [string, (number: number) => string, RegExp][] = [
    ['the same', () => 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', /^its rule never applies/],
    [
      'different',
      (number: number) => `RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;INTERVAL=${number + 1}`,
      /^its rule (never applies|was not read)/,
    ],
  ];

  // Proves rule sandbox.110.
  it.for(cases(1, endlessRules))(
    'is read without rules that never apply, however many there are: %s',
    async ([_name, rule, reason], { service }) => {
      const endless = Array.from({ length: 8 }, (_, number) => vevent(`UID:${number}`, berlin, rule(number))).flat();
      const good = (uid: string) => [...vevent(`UID:${uid}`, berlin), ...vevent(`UID:${uid} daily`, berlin, 'RRULE:FREQ=DAILY;COUNT=1')];
      const { status, body } = await setCalendar(service, { connected: true, ics: ics(...good('first'), ...endless, ...good('last')) });
      expect(status).toBe(200);
      const left = body.left_out as { uid: string; reason: string }[];
      for (const each of left) expect(each.reason).toMatch(reason);
      expect(left.slice(0, 8).map(({ uid }) => uid)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
      const ids = body.account.calendar.events.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expect.arrayContaining(['first', 'first daily_20270302T090000Z', 'last']));
      expect([...left.map(({ uid }) => uid), ...ids].join()).toContain('last daily');
    },
  );

  // Proves rule sandbox.113.
  it('says that nothing was left out, and says nothing without a text', async ({ service }) => {
    expect((await setCalendar(service, { ics: ics(...vevent(berlin)) })).body.left_out).toEqual([]);
    expect((await setCalendar(service, { events: [own] })).body).not.toHaveProperty('left_out');
  });

  // Proves rules sandbox.104, sandbox.111.
  it.for<[string, RegExp]>([
    ['', /^calendar\.ics: is not iCalendar text: it has no VCALENDAR$/],
    ['no calendar', /^calendar\.ics: is not iCalendar text: it has no VCALENDAR$/],
    ['BEGIN:VCARD\r\nEND:VCARD', /VCALENDAR/],
    // More than 10,000 events.
    [
      ics(...Array.from({ length: 10_001 }, (_, number) => vevent(`UID:${number}`, 'DTSTART:20270302T100000Z')).flat()),
      /^calendar\.ics: .*10000/,
    ],
    [ics(...Array.from({ length: 10_001 }, () => ['BEGIN:VEVENT', 'END:VEVENT']).flat()), /^calendar\.ics: .*10000/],
  ])('%# that cannot be read returns 400 and changes nothing', async ([text, message], { service }) => {
    await setCalendar(service, { events: [own] });
    const { status, body } = await setCalendar(service, { connected: true, ics: text });
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
    expect(await calendar(service)).toEqual({ connected: false, calendars: [], events: [own] });
  });

  it('is parsed without blocking other requests', async ({ service }) => {
    const endless = setCalendar(service, { ics: ics(...vevent(berlin, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')) });
    const others = async () => {
      for (let count = 0; count < 50; count++) expect((await service.get('/tags')).status).toBe(200);
    };
    expect(await Promise.race([endless.then(() => 'the text'), others().then(() => 'others')])).toBe('others');
    expect((await endless).body.left_out).toHaveLength(1);
  });
});

// Proves rule appointments.34.
it('an import leaves out the events of a contact that is deleted while it runs', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  const hasBegun = async () =>
    (await store.read((db) => db.selectFrom('calendar_imports').select('id').where('status', '=', 'processing').execute())).length > 0;
  let contactToDelete: string | null = null;
  const other = await TestService.on(database, {
    store: {
      ...forwarding(store),
      // The import has indexed the contacts before it writes the first appointment.
      write: async (work, options) => {
        if (contactToDelete !== null && (await hasBegun())) {
          const path = `/contacts/${contactToDelete}`;
          contactToDelete = null;
          expect((await other.delete(path)).status).toBe(200);
        }
        return await store.write(work, options);
      },
    },
  });
  const { contact: ada } = (await other.post('/contacts', { phone_number: '+14155550123', email: 'ada@sample.example' })).body;
  const events = [attended('ext-1', { email: 'ada@sample.example' })];
  await other.sandbox('PATCH', `/accounts/${other.accountId}`, { calendar: { connected: true, events } });
  const { campaign } = (await other.post('/campaigns', { name: 'Practice' })).body;
  contactToDelete = ada.id as string;
  await other.post('/appointments/import-calendar-events', { campaign_id: campaign.id, identifier: 'EMAIL' });
  await other.service.runDueJobs(5_000);
  expect(contactToDelete).toBeNull();
  expect((await other.get('/appointments')).body.appointments).toEqual([]);
  await other.close();
});
