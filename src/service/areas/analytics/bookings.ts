import type { Db } from '../../store/database.ts';
import type { Extent } from './scope.ts';

/**
 * Counts the conversations of an extent in which an appointment was booked. Appointments are not kept in this store yet, so
 * there are none.
 */
export function countBooked(_db: Db, _extent: Extent): Promise<number> {
  return Promise.resolve(0);
}
