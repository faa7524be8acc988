import * as contract from '../../contract/areas/events/endpoints.ts';
import {
  callVerb,
  deleteVerb,
  given,
  type Lookup,
  type Noun,
  type OptionSpec,
  type Options,
  parseCount,
  parseJson,
  parseList,
} from '../command/command.ts';

const columns = ['id', 'name', 'timezone', 'slot_minutes', 'max_bookings_per_slot', 'rooms', 'availability', 'created_at'];

const ids: Lookup = { endpoint: contract.listEvents, rows: 'events', label: 'name' };

const shared = { arguments: [['<id>', 'the id of an event type', ids]], params: ['id'] } as const;

const shown = { field: 'event', columns };

const fieldOptions: readonly OptionSpec[] = [
  { flags: '--timezone <name>', summary: 'its time zone, such as Europe/Berlin; UTC for a new one' },
  { flags: '--slot-minutes <count>', summary: 'how long a slot is; 30 for a new one', parse: parseCount },
  { flags: '--availability <json>', summary: 'its hours by weekday, as JSON', parse: parseJson },
  { flags: '--max-bookings-per-slot <count>', summary: 'how many may book a slot; 1 for a new one', parse: parseCount },
  { flags: '--rooms <names>', summary: 'its rooms', parse: parseList },
];

const fields = ({ timezone, slotMinutes, availability, maxBookingsPerSlot, rooms }: Options) =>
  given({ timezone, slot_minutes: slotMinutes, availability, max_bookings_per_slot: maxBookingsPerSlot, rooms });

export const events: Noun = {
  name: 'events',
  summary: 'Manage the event types that can be booked',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listEvents,
      examples: [['msgctl events list', 'what can be booked']],
      shown: { columns: ['id', 'name', 'timezone', 'slot_minutes', 'max_bookings_per_slot', 'rooms'] },
    }),
    callVerb({ ...shared, name: 'get', endpoint: contract.getEvent, examples: [['msgctl events get evn_1', 'all of it']], shown }),
    callVerb({
      name: 'create',
      endpoint: contract.createEvent,
      examples: [
        [
          `msgctl events create Consultation --timezone Europe/Berlin --availability '{"monday": {"start_time": "09:00", "end_time": "17:00"}}'`,
          'on Mondays',
        ],
      ],
      arguments: [['<name>', 'the name of the event type']],
      options: fieldOptions,
      body: (options, [name]) => given({ name, ...fields(options) }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateEvent,
      examples: [['msgctl events update evn_1 --slot-minutes 45', 'what is not given stays']],
      options: [{ flags: '--name <text>', summary: 'the new name' }, ...fieldOptions],
      body: (options) => given({ name: options.name, ...fields(options) }),
      shown,
    }),
    deleteVerb('event type', {
      ...shared,
      endpoint: contract.deleteEvent,
      examples: [['msgctl events delete evn_1 --yes', 'without being asked']],
    }),
  ],
};
