import * as z from 'zod';
import { parseInstant } from './instants.ts';
import { limits } from './limits.ts';

// PostgreSQL cannot store the character NUL in text, and nobody means to send it.
const noNul = (value: string) => !value.includes('\0');
const nulMessage = 'must not contain the character NUL';

/** Text of a record: anything up to `max` characters, NUL excepted. */
export function text(max: number = limits.textLength) {
  return z
    .string()
    .max(max, { error: `must be at most ${max} characters` })
    .refine(noNul, { error: nulMessage });
}

/** A name: trimmed, not empty, at most `max` characters. */
export function name(max: number = limits.nameLength) {
  return z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(max, { error: `must be at most ${max} characters` })
    .refine(noNul, { error: nulMessage });
}

/** An e-mail address. */
export function email() {
  return z.email({ error: 'must be an e-mail address' }).max(limits.nameLength);
}

/** An id in a body or a query. Whether there is such a record is for the handler to say. */
export function id() {
  return z.string().min(1, { error: 'must not be empty' }).max(200).refine(noNul, { error: nulMessage });
}

/** An instant as ISO 8601 text in a request. */
export function instant() {
  return z
    .string()
    .refine((value) => parseInstant(value) !== undefined, { error: 'must be an ISO 8601 date or date and time' })
    .meta({ format: 'date-time' });
}

/** An instant as ISO 8601 text in an answer. */
export function timestamp() {
  return z.string().meta({ format: 'date-time' });
}

/** A whole number in a query string. */
export function integerQuery(min: number, max: number) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z
      .int({ error: `must be a whole number from ${min} to ${max}` })
      .min(min, { error: `must be at least ${min}` })
      .max(max, {
        error: `must be at most ${max}`,
      }),
  );
}

/** The query parameters of every list that pages (Document 1, Pagination). */
export const pageQuery = () => ({
  limit: integerQuery(1, limits.pageSizeMax).optional().meta({ description: 'Items per page, 50 unless given' }),
  cursor: z.string().max(4_096).optional().meta({ description: 'A next_cursor of an earlier page' }),
});

/** What the answer of every list that pages carries beside its rows. */
export const nextCursor = () => z.string().nullable();
