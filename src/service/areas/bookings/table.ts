import { accountTable } from '../../store/account-table.ts';
import { text } from '../../store/columns.ts';
import type { StoredRow } from '../../store/table.ts';

/** The appointments that guests booked on booking pages. */
export const guestBookings = accountTable(
  'guest_bookings',
  { prefix: 'gbk', record: 'appointment' },
  {
    event_id: text(),
    appointment_id: text(),
    /** The digest of the token in the address of the booking. */
    token: text(),
    phone_number: text(),
    /** What the guest's browser called the request, together with its content. */
    client_id: text().nullable(),
  },
);

declare module '../../store/database.ts' {
  interface Database {
    guest_bookings: StoredRow<typeof guestBookings>;
  }
}
