import * as z from 'zod';
import { parseInstant } from './time/instants.ts';
import { limits } from './limits.ts';

// PostgreSQL cannot store the NUL character in text.
const noNul = (value: string) => !value.includes('\0');
const nulMessage = 'must not contain the character NUL';

/** Text of up to `max` characters, without NUL. */
export function text(max: number = limits.textLength) {
  return z
    .string()
    .max(max, { error: `must be at most ${max} characters` })
    .refine(noNul, { error: nulMessage });
}

/** Text that is not only white space. */
export function filledText(max: number = limits.textLength) {
  return text(max).refine((value) => value.trim() !== '', { error: 'must not be empty' });
}

/** Text of any length, without NUL. The size limit applies to the whole record. */
export function longText() {
  return z.string().refine(noNul, { error: nulMessage });
}

/** An object with any values, without NUL. The size limit applies to the whole record. */
export function anyObject() {
  return z.record(z.string(), z.unknown()).refine((value) => !hasNul(value), { error: nulMessage });
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return !noNul(value);
  return typeof value === 'object' && value !== null && Object.entries(value).some(([key, each]) => hasNul(key) || hasNul(each));
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

/** A colour of pages, such as #2563eb. */
export function colour() {
  return z.string().regex(/^#[\dA-Fa-f]{6}$/, { error: 'must be a colour such as #2563eb' });
}

/** A list that has each value only once. */
export function distinctList<Item extends z.ZodType>(item: Item) {
  return z.array(item).refine((list) => new Set(list).size === list.length, { error: 'must have each value only once' });
}

/** An email address. */
export function email() {
  return z.email({ error: 'must be an email address' }).max(limits.nameLength);
}

/** An id in a body or a query. The handler checks that the record exists. */
export function id() {
  return z.string().min(1, { error: 'must not be empty' }).max(200).refine(noNul, { error: nulMessage });
}

/** The id of a record in an answer. */
export function recordId(prefix: string) {
  return z.string().describe(`the id, which begins with ${prefix}`);
}

/** A phone number in a request. The handler validates it, because the validation needs a library with all numbering plans. */
export function phoneNumber() {
  return z.string().max(50).meta({ description: 'a phone number in international format, such as +14155550100' });
}

/** An account name on a channel without phone numbers. */
export function identity() {
  return name().meta({ description: 'the account name, on a channel without phone numbers' });
}

/** An instant as ISO 8601 text in a request; a date is its first instant in UTC. */
export function instant() {
  return z
    .string()
    .refine((value) => parseInstant(value) !== undefined, { error: 'must be an ISO 8601 date or date and time' })
    .meta({ format: 'date-time', acceptsDate: true });
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

/** True or false in a query string. */
export function booleanQuery() {
  return z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean());
}

/** A list in a query, separated by commas. */
export function readList(value: string): string[] {
  return value.split(',').map((item) => item.trim());
}

/** A comma-separated list of known words in a query, without repetitions. @param max the maximum number of words */
export function words<Word extends string>(known: readonly Word[], max = known.length) {
  return text(1_000)
    .refine((value) => readList(value).every((word) => known.includes(word as Word)), { error: `must be among ${known.join(', ')}` })
    .refine((value) => new Set(readList(value)).size <= max, { error: `must have at most ${max} items` });
}

/** A body that may contain fields that the schema does not declare, such as dotted keys. They are kept for the handler. */
export function looseBody<Fields extends z.ZodRawShape>(fields: Fields): z.ZodObject<Fields> {
  return z.looseObject(fields);
}

/** The query parameters of every paginated list (rules conventions.65, conventions.66, conventions.67). */
export const pageQuery = () => ({
  limit: integerQuery(1, limits.pageSizeMax).optional().meta({ description: 'items per page', defaultText: '50' }),
  cursor: z.string().max(4_096).optional().meta({ description: 'the next_cursor of the previous page' }),
});

/** The cursor of the next page, in the answer of every paginated list; null on the last page. */
export const nextCursor = () => z.string().nullable();
