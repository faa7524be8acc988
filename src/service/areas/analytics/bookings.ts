import { type RawBuilder, sql } from 'kysely';

/**
 * Whether an appointment was booked within a conversation, as 0 or 1 for a row of `chat_sessions`. Appointments are not kept
 * in this store yet, so none was.
 */
export const isBooked: RawBuilder<number> = sql<number>`0`;
