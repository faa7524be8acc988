import * as contract from '../../../contract/areas/events/endpoints.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { eventLookup } from '../../lookups/events.ts';
import { shellWord } from '../../output/shell-word.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Session, Verb } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { notingPages } from '../../verb/page-note.ts';

const event = { name: 'event', summary: 'the id or the name of an event type', lookup: eventLookup } as const;

const columns = [
  'name',
  'booking_page.enabled',
  'booking_page.page_url',
  'booking_page.embed_code',
  'booking_page.title',
  'booking_page.intro',
  'booking_page.ask',
  'booking_page.language',
  'booking_page.days_ahead',
  'booking_page.notice_minutes',
] as const;

const enable = callVerb({
  name: 'booking-page enable',
  summary: 'Let guests book an event type on a page of its own',
  endpoint: contract.updateEvent,
  examples: [
    ['msgctl events booking-page enable Consultation', 'prints the address'],
    [
      "msgctl events booking-page enable Consultation --title 'Talk to us' --ask email,note --language de --notice-minutes 120",
      'fields you omit keep their value',
    ],
  ],
  arguments: [{ param: 'id', ...event }],
  fields: [
    { field: 'booking_page.title', flag: 'title' },
    { field: 'booking_page.intro', flag: 'intro' },
    { field: 'booking_page.ask', flag: 'ask' },
    { field: 'booking_page.language', flag: 'language' },
    { field: 'booking_page.days_ahead', flag: 'days-ahead' },
    { field: 'booking_page.notice_minutes', flag: 'notice-minutes' },
  ],
  body: ({ booking_page: page }) => ({ booking_page: { ...page, enabled: true } }),
  shown: { field: 'event', columns },
  done: ({ event: { booking_page: page } }) => (page ? `Guests book at ${page.page_url}` : undefined),
});

/** The event type that a word names. @throws CliError 5 when it has no booking page */
async function requirePage(session: Session, word: string) {
  const record = await session.names.record(eventLookup, word);
  if (!record.booking_page)
    throw new CliError(exitCodes.notFound, 'not_found', `The event type '${record.name}' has no booking page`, {
      hint: `\`msgctl events booking-page enable ${shellWord(word)}${sameTarget(session)}\` makes one.`,
    });
  return record;
}

/** The verbs of the booking pages of event types. */
export const bookingPageVerbs: readonly Verb[] = [
  {
    name: 'booking-page show',
    summary: 'Show the page on which guests book an event type',
    examples: [['msgctl events booking-page show Consultation', 'its address and its settings']],
    arguments: [event],
    endpoint: contract.getEvent,
    shown: { field: 'event', columns },
    run: async (session, [word = '']) => {
      const record = await requirePage(session, word);
      return { kind: 'record', answer: { event: record }, record };
    },
  },
  notingPages({ ...enable, changesByItself: true }),
  callVerb({
    name: 'booking-page disable',
    summary: 'Close the booking page of an event type; guests still reach their bookings',
    endpoint: contract.updateEvent,
    examples: [['msgctl events booking-page disable Consultation', 'its address stays, for when it is enabled again']],
    arguments: [{ param: 'id', ...event }],
    body: async (_, { session, values: [word = ''] }) => {
      await requirePage(session, word);
      return { booking_page: { enabled: false } };
    },
    shown: { field: 'event', columns },
  }),
];
