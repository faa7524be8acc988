import * as contract from '../../contract/areas/appointments/endpoints.ts';
import { parseInstant } from '../../contract/time/instants.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { lookup } from '../verb/lookup.ts';
import type { FieldSpec, Noun, Options, Session, Verb } from '../verb/noun.ts';
import { outOption } from '../verb/output-file.ts';
import { hasYear } from '../verb/when.ts';
import { orUsageError } from '../invalid-value.ts';
import { usageError } from '../errors.ts';
import { agentLookup } from '../lookups/agents.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { eventLookup } from '../lookups/events.ts';
import { forPeople } from './appointments/for-people.ts';
import { readSlot } from './appointments/slot-words.ts';
import { openZone, zoneOption } from './appointments/zone.ts';

const columns = [
  'id',
  'status',
  'start_time',
  'end_time',
  'contact_id',
  'event_id',
  'room_name',
  'summary',
  'description',
  'cancelation_reason',
  'calendar_synced',
  'imported',
  'created_at',
  'last_modified_at',
] as const;

const appointmentLookup = lookup(contract.listAppointments, 'appointments', 'start_time', {
  get: contract.getAppointment,
  names: ({ summary }) => [summary],
  givenBy: 'the id or the summary',
});

const appointment = {
  param: 'appointmentId',
  name: 'id',
  summary: 'the id or the summary of an appointment',
  lookup: appointmentLookup,
} as const;

const shown = { field: 'appointment', columns } as const;

/** The columns of a single appointment in tables. */
const namedColumns = [
  ...['id', 'status', 'when', 'until', 'timezone', 'contact', 'event'],
  ...columns.filter((column) => !['id', 'status', 'start_time', 'end_time', 'contact_id', 'event_id'].includes(column)),
];

/** Adds the next free slots to the error of a booking if the slot is not available. @param readEvent finds the event type */
async function explainRefusal(
  error: unknown,
  session: Session,
  { start_time: start, room_name: room }: { start_time?: string | undefined; room_name?: string | undefined },
  { tz }: Options,
  readEvent: () => string | null | undefined | Promise<string | null>,
): Promise<unknown> {
  const { isRefusedSlot, withFreeSlots } = await import('./appointments/next-free.ts');
  const eventId = start !== undefined && isRefusedSlot(error) ? await readEvent() : null;
  if (start === undefined || typeof eventId !== 'string') return error;
  return await withFreeSlots(error, session, { eventId, start, tz: tz as string | undefined, room });
}

const slotSummary =
  'the start, as `appointments slots` shows it (`Tue 2 Mar 09:00`, `Mon 3 Jan 2028 09:00`), in the time zone of the event type or of --tz';

const endSummary =
  'the end: a time of day after the start (`15:00`), a length (`45m`), or in the form of the slot (default: the same length as before)';

/** Left as text here; parsed once the event type is known. */
const asGiven = (text: unknown) => text;

const dateSummary = 'only appointments that start on this day: a date, or a word such as tomorrow or friday; needs --contact';

const chosen = [
  { field: 'contact_id', flag: 'contact', lookup: contactLookup },
  { field: 'date', summary: dateSummary },
  'status',
] as const satisfies readonly FieldSpec[];

const room = { field: 'room_name', flag: 'room', placeholder: 'name' } as const;

/**
 * Parses the start or the end of a slot in the time zone of `--tz` or else the event type.
 * @param eventId null for an appointment without an event type, whose time zone is UTC
 * @param start for an end, the start
 */
async function slotTime(session: Session, text: string, eventId: string | null, tz: unknown, start?: string): Promise<string> {
  const timezone = (tz as string | undefined) ?? (eventId === null ? 'UTC' : await timezoneOf(session, eventId));
  const zone = await openZone(timezone);
  const now = hasYear(text) ? 0 : await session.serviceTime();
  const [what, after] = start === undefined ? ['<slot>'] : ['--end-time', parseInstant(start)];
  return await orUsageError(what, text, () => readSlot(text, now, zone, timezone, after));
}

async function timezoneOf({ names }: Session, eventId: string): Promise<string> {
  return (await names.record(eventLookup, eventId)).timezone;
}

/** The id of an appointment's event type. */
async function eventOf({ names }: Session, word: string): Promise<string | null> {
  return (await names.record(appointmentLookup, word)).event_id;
}

/** Parses the times of a change. An end is after the new start, or else after that of the appointment. */
async function movedTimes(
  session: Session,
  word: string,
  body: { start_time?: string | undefined; end_time?: string | undefined },
  tz: unknown,
) {
  const { start_time: slot, end_time: end } = body;
  if (slot === undefined && end === undefined) return {};
  const { event_id: eventId, start_time: current } = await session.names.record(appointmentLookup, word);
  const moved = slot === undefined ? {} : { start_time: await slotTime(session, slot, eventId, tz) };
  if (end === undefined) return moved;
  const start = moved.start_time ?? (session.input.start_time as string | undefined) ?? current;
  return { ...moved, end_time: await slotTime(session, end, eventId, tz, start) };
}

/** The days of the agenda are those of the user, whose time zone no event type decides. */
const agendaZone = {
  ...zoneOption,
  summary: 'the time zone of the days and times (default: yours for the days, that of the event type for the times)',
};

const importCalendar = callVerb({
  name: 'import',
  endpoint: contract.importCalendar,
  examples: [
    ['msgctl appointments import --campaign Spring --wait', 'find contacts by their email addresses; exits 1 if the import failed'],
    ['msgctl appointments import --agent Ada --identifier PHONE_NUMBER', 'by their phone numbers; prints the id of the job'],
  ],
  fields: [
    { field: 'campaign_id', flag: 'campaign', lookup: campaignLookup },
    { field: 'agent_id', flag: 'agent', lookup: agentLookup },
    { field: 'identifier', default: 'EMAIL' },
  ],
  body: (body, { session: { input } }) => {
    const [campaign, agent] = [body.campaign_id ?? input.campaign_id, body.agent_id ?? input.agent_id];
    if ((campaign === undefined) === (agent === undefined)) throw usageError('Give either --campaign or --agent');
    return body;
  },
  shown: { columns: ['job_id', 'status', 'campaign_id', 'agent_id'] },
});

const slots: Verb = {
  name: 'slots',
  summary: 'Show the free slots of an event type, as a week grid on a terminal',
  examples: [
    ['msgctl appointments slots Consultation', 'the next seven days'],
    ['msgctl appointments slots Consultation --from monday --tz America/New_York', 'from next Monday, in the time zone of a customer'],
    ['msgctl appointments slots Consultation -o tsv --fields slot,room_name', 'one line for each slot'],
    ['msgctl appointments slots Consultation -o json', 'the API response, in the time zone of the event type'],
  ],
  arguments: [{ name: 'event', summary: 'the id or the name of an event type', lookup: eventLookup }],
  options: [
    {
      flags: '--from <day>',
      summary: 'the first day: a date, or a word such as tomorrow or friday (default: today)',
      fills: ['start_time'],
    },
    { flags: '--to <day>', summary: 'the last day (default: six days later)', fills: ['end_time'] },
    { flags: '--room <name>', summary: 'only slots in this room' },
    zoneOption,
  ],
  endpoint: contract.availableSlots,
  shown: {
    rows: 'slots',
    columns: ['slot', 'end', 'room_name', 'spots_left', 'start_time', 'timezone'],
    further: ['date', 'day', 'start', 'event', 'event_id'],
    drawing: async () => (await import('./appointments/grid.ts')).drawGrid,
  },
  run: async (session, [event = ''], options) => await (await import('./appointments/slots.ts')).listSlots(session, event, options),
};

const agenda = forPeople(
  {
    name: 'agenda',
    summary: 'Show who comes when: the confirmed appointments of some days, the earliest first',
    examples: [
      ['msgctl appointments agenda', 'today and the next six days'],
      ['msgctl appointments agenda tomorrow', 'one day'],
      ['msgctl appointments agenda monday --to friday -o csv', 'several days, as CSV'],
    ],
    arguments: [
      {
        name: 'day',
        summary: 'the day: a date, or a word such as tomorrow or friday (default: today and the next six days)',
        isOptional: true,
      },
    ],
    options: [{ flags: '--to <day>', summary: 'the last day' }, agendaZone],
    endpoint: contract.listAppointments,
    showsPart: true,
    shown: {
      rows: 'appointments',
      columns: ['start_time', 'end_time', 'contact_id', 'event_id', 'room_name', 'summary', 'status', 'id'],
    },
    run: async (session, [day], options) => await (await import('./appointments/agenda.ts')).readAgenda(session, day, options),
  },
  ['when', 'title', 'room_name', 'until', 'timezone', 'summary', 'id'],
);

export const appointments: Noun = {
  name: 'appointments',
  verbs: [
    slots,
    forPeople(
      callVerb({
        name: 'book',
        endpoint: contract.bookAppointment,
        examples: [
          ["msgctl appointments book 'Ada Lovelace' Consultation 'Tue 2 Mar 09:00'", 'a slot as `appointments slots` shows it'],
          ["msgctl appointments book +14155550123 Consultation 'tomorrow 9:00' --room Blue", 'in a room, for a contact by number'],
        ],
        arguments: [
          { field: 'contact_id', name: 'contact', summary: 'a contact by id, phone number, email address or name', lookup: contactLookup },
          { field: 'event_id', name: 'event', summary: 'the id or the name of an event type', lookup: eventLookup },
          { field: 'start_time', name: 'slot', summary: slotSummary, resolve: asGiven },
        ],
        fields: [room],
        options: [zoneOption],
        body: async (body, { session, options: { tz } }) => {
          const { start_time: text } = body;
          const eventId = body.event_id ?? (session.input.event_id as string | undefined) ?? null;
          return text === undefined ? body : { ...body, start_time: await slotTime(session, text, eventId, tz) };
        },
        explain: async (error, body, { session, options }) => await explainRefusal(error, session, body, options, () => body.event_id),
        shown,
      }),
      namedColumns,
    ),
    forPeople(
      callVerb({
        name: 'list',
        endpoint: contract.listAppointments,
        examples: [
          ['msgctl appointments list --status Confirmed', 'the newest bookings; `appointments agenda` is in the order of the days'],
          ['msgctl appointments list --contact +14155550123 --date 2027-03-02', 'the appointments of a contact on a day'],
        ],
        fields: chosen,
        shown: { columns: ['id', 'start_time', 'end_time', 'status', 'summary', 'room_name', 'contact_id', 'event_id'] },
      }),
      ['id', 'when', 'title', 'status', 'room_name', 'until', 'timezone', 'summary'],
    ),
    agenda,
    forPeople(
      callVerb({
        name: 'get',
        endpoint: contract.getAppointment,
        examples: [['msgctl appointments get apt_1', 'show one appointment']],
        arguments: [appointment],
        shown,
      }),
      namedColumns,
    ),
    forPeople(
      callVerb({
        name: 'reschedule',
        endpoint: contract.updateAppointment,
        examples: [
          ["msgctl appointments reschedule apt_1 'Wed 3 Mar 10:00'", 'move it to another slot; it keeps its length'],
          ["msgctl appointments reschedule apt_1 'Wed 3 Mar 10:00' --end-time 11:30", 'another slot and another length'],
          ["msgctl appointments reschedule apt_1 --summary 'First visit' --room Blue", 'change its summary or its room'],
        ],
        arguments: [appointment, { field: 'start_time', name: 'slot', summary: slotSummary, isOptional: true, resolve: asGiven }],
        fields: [{ field: 'end_time', summary: endSummary, resolve: asGiven }, room, 'summary', 'description'],
        options: [zoneOption],
        body: async (body, { session, values: [word = ''], options: { tz } }) => {
          if (Object.keys({ ...body, ...session.input }).length === 0)
            throw usageError('There is nothing to change', 'Give a slot, --end-time, --room, --summary or --description.');
          return { ...body, ...(await movedTimes(session, word, body, tz)) };
        },
        explain: async (error, body, { session, values: [word = ''], options }) =>
          await explainRefusal(error, session, body, options, () => eventOf(session, word)),
        shown,
      }),
      namedColumns,
    ),
    callVerb({
      name: 'cancel',
      endpoint: contract.cancelAppointment,
      examples: [["msgctl appointments cancel apt_1 --reason 'Ill'", 'the appointment stays in the list, and its slot is free again']],
      arguments: [appointment],
      fields: [{ field: 'cancellation_reason', flag: 'reason' }],
      shown: { columns: ['appointment_id'] },
      done: (_answer, [word]) => `Canceled the appointment ${word}.`,
    }),
    deleteVerb({
      lookup: appointmentLookup,
      endpoint: contract.deleteAppointment,
      examples: [['msgctl appointments delete apt_1 --yes', 'skip the confirmation']],
      title: ({ id, start_time: start }) => `${id as string} (${start as string})`,
    }),
    {
      name: 'export',
      isTool: false,
      summary: 'Export appointments as an iCalendar file, which any calendar can open',
      examples: [
        ['msgctl appointments export --format ics --out appointments.ics', 'every appointment'],
        ['msgctl appointments export --contact +14155550123 > ada.ics', 'the confirmed ones of a contact, to stdout'],
      ],
      fields: chosen,
      options: [
        { flags: '--format <format>', summary: 'the format; iCalendar unless -o lists the appointments', choices: ['ics'] },
        outOption,
      ],
      endpoint: contract.listAppointments,
      scope: 'one account',
      showsAnswer: true,
      shown: { rows: 'appointments', columns },
      run: async (session, _values, options) =>
        await (await import('./appointments/export.ts')).exportAppointments(session, options, chosen),
    },
    callVerb({
      name: 'calendars',
      endpoint: contract.listCalendars,
      examples: [['msgctl appointments calendars', 'the calendars of the connected calendar account']],
      shown: { rows: 'data', columns: ['id', 'summary', 'timeZone', 'accessRole', 'primary'] },
    }),
    {
      ...importCalendar,
      options: [{ flags: '--wait', summary: 'wait until the import ends; exits 1 if it failed' }],
      run: async (session, values, options) => {
        const result = await importCalendar.run(session, values, options);
        if (!options.wait || result.kind !== 'record') return result;
        return await (await import('./appointments/import.ts')).followImport(session, result.record.job_id as string);
      },
    },
    callVerb({
      name: 'import-status',
      endpoint: contract.getCalendarImport,
      examples: [['msgctl appointments import-status imp_1', 'whether an import has ended, and what it did']],
      arguments: [{ param: 'jobId', name: 'job', summary: 'the job that `appointments import` started' }],
      shown: { columns: ['job_id', 'status', 'message', 'error'] },
    }),
  ],
};
