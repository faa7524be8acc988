import type { Area } from '../../area.ts';
import { bookingRoutes } from './routes.ts';

/** The booking pages of event types. */
export const bookingArea = {
  publicRoutes: bookingRoutes,
  rows: [{ table: 'guest_bookings' }],
} satisfies Area;
