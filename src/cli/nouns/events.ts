import * as contract from '../../contract/areas/events/endpoints.ts';
import { callVerb } from '../command/call-verb.ts';
import { deleteVerb } from '../command/delete-verb.ts';
import type { Noun } from '../command/noun.ts';
import { eventLookup } from '../lookups/events.ts';

const columns = ['id', 'name', 'timezone', 'slot_minutes', 'max_bookings_per_slot', 'rooms', 'availability', 'created_at'] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the name of an event type', lookup: eventLookup }] } as const;

const shown = { field: 'event', columns } as const;

const fields = [{ field: 'timezone', placeholder: 'name' }, 'slot_minutes', 'availability', 'max_bookings_per_slot', 'rooms'] as const;

export const events: Noun = {
  name: 'events',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listEvents,
      examples: [['msgctl events list', 'the bookable event types']],
      shown: { columns: ['id', 'name', 'timezone', 'slot_minutes', 'max_bookings_per_slot', 'rooms'] },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getEvent,
      examples: [['msgctl events get evn_1', 'show one event type']],
      shown,
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createEvent,
      examples: [
        [
          `msgctl events create Consultation --timezone Europe/Berlin --availability '{"monday": {"start_time": "09:00", "end_time": "17:00"}}'`,
          'bookable on Mondays',
        ],
      ],
      arguments: [{ field: 'name' }],
      fields,
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateEvent,
      examples: [['msgctl events update evn_1 --slot-minutes 45', 'fields you leave out keep their value']],
      fields: ['name', ...fields],
      shown,
    }),
    deleteVerb({
      lookup: eventLookup,
      endpoint: contract.deleteEvent,
      examples: [['msgctl events delete evn_1 --yes', 'skip the confirmation']],
    }),
  ],
};
