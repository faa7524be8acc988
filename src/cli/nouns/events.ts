import * as contract from '../../contract/areas/events/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { dayOptions, hoursOf } from '../verb/hours.ts';
import type { Invocation, Noun } from '../verb/noun.ts';
import { eventLookup } from '../lookups/events.ts';
import { bookingPageVerbs } from './events/booking-page.ts';

const columns = ['id', 'name', 'timezone', 'slot_minutes', 'max_bookings_per_slot', 'rooms', 'availability', 'created_at'] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the name of an event type', lookup: eventLookup }] } as const;

const shown = { field: 'event', columns } as const;

const fields = [{ field: 'timezone', placeholder: 'name' }, 'slot_minutes', 'availability', 'max_bookings_per_slot', 'rooms'] as const;

const hours = dayOptions('9:00-12:30,14:00-18:00');

type Availability = Answer<typeof contract.getEvent>['event']['availability'];

/**
 * The fields of an event type with the hours of the days that options give.
 * @param stored reads the hours of the other days, for when neither a field nor the input has them
 */
async function withDays<Given extends { availability?: Availability | undefined }>(
  given: Given,
  { session: { input }, options }: Pick<Invocation, 'session' | 'options'>,
  stored: () => Promise<Availability> = () => Promise.resolve({}),
): Promise<Given> {
  const days = hoursOf(options);
  if (Object.keys(days).length === 0) return given;
  const others = given.availability ?? (input.availability as Availability | undefined) ?? (await stored());
  return { ...given, availability: { ...others, ...days } };
}

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
          'msgctl events create Consultation --timezone Europe/Berlin --monday 9:00-12:30,14:00-18:00 --friday 9:00-12:30',
          'bookable on two days',
        ],
      ],
      arguments: [{ field: 'name' }],
      fields,
      options: hours,
      body: withDays,
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateEvent,
      examples: [
        ['msgctl events update Consultation --slot-minutes 45', 'fields you omit keep their value'],
        ['msgctl events update Consultation --friday closed', 'days you omit keep their hours; --availability replaces all days'],
      ],
      fields: ['name', ...fields],
      options: hours,
      body: (given, invocation) => {
        const { session, values } = invocation;
        return withDays(given, invocation, async () => (await session.names.record(eventLookup, values[0] ?? '')).availability);
      },
      shown,
    }),
    ...bookingPageVerbs,
    deleteVerb({
      lookup: eventLookup,
      endpoint: contract.deleteEvent,
      examples: [['msgctl events delete evn_1 --yes', 'skip the confirmation']],
    }),
  ],
};
