import { randomBytes } from 'node:crypto';

/** The length of the random part of an id, in characters of six bits. */
const randomLength = 8;

/** Random bytes for many ids. Generating them for each id would take longer than creating the record. */
let pool = '';
let used = 0;

/** The time of the latest id, and its text form. */
let latest = { time: 0, text: '' };

/**
 * Creates an id such as `tag_mfk3v8wqXw3aB7_9`: a prefix for the kind of record, the time in base 36, and 48 random bits. Ids
 * created at about the same time are close to each other in an index, so that an insertion changes few pages.
 */
export function newId(prefix: string): string {
  if (used === pool.length) [pool, used] = [randomBytes(3 * 1_024).toString('base64url'), 0];
  const random = pool.slice(used, (used += randomLength));
  // Real time, because no record shows it: it keeps new ids together, in the order of creation.
  // eslint-disable-next-line no-restricted-syntax -- ids of a frozen clock must be close to each other too
  const time = Date.now();
  if (latest.time !== time) latest = { time, text: time.toString(36) };
  return `${prefix}_${latest.text}${random}`;
}

/** When an id was created, in real time to the millisecond, as sortable text. */
export function timeOfId(id: string): string {
  return id.slice(id.indexOf('_') + 1, -randomLength);
}
