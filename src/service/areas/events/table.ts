import type * as z from 'zod';
import type { askedGuests, availability } from '../../../contract/areas/events/endpoints.ts';
import type { PageLanguage } from '../../../contract/areas/widgets/page-languages.ts';
import { accountTable } from '../../store/account-table.ts';
import { integer, json, text } from '../../store/columns.ts';
import type { Row, StoredRow } from '../../store/table.ts';

/** The booking page of an event type, without its address. */
export interface BookingPage {
  readonly enabled: boolean;
  readonly title: string | null;
  readonly intro: string | null;
  readonly ask: readonly (typeof askedGuests)[number][];
  readonly language: PageLanguage;
  readonly days_ahead: number;
  readonly notice_minutes: number;
}

/** Bookable event types. The table `events` is unrelated: it holds the events of webhooks. */
export const eventTypes = accountTable(
  'event_types',
  { prefix: 'evn', record: 'event' },
  {
    name: text(),
    timezone: text().default('UTC'),
    slot_minutes: integer().default(30),
    availability: json<z.output<ReturnType<typeof availability>>>().default({}),
    max_bookings_per_slot: integer().default(1),
    rooms: json<string[]>().default([]),
    booking_page: json<BookingPage>().nullable().internal(),
    /** The last part of the address of the booking page. */
    public_id: text().nullable().internal(),
    /** An upper bound of the length of its appointments, in milliseconds. */
    longest: integer().default(0).internal(),
  },
);

/** A bookable event type. */
export type EventType = Row<typeof eventTypes>;

declare module '../../store/database.ts' {
  interface Database {
    event_types: StoredRow<typeof eventTypes>;
  }
}
