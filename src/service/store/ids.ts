import { randomBytes } from 'node:crypto';

/** The random part of an id, in characters of six bits. */
const randomLength = 8;

/** Random bytes for many ids, because fetching them for each id takes longer than creating the record. */
let pool = '';
let used = 0;

/** The time of the latest id, and how it is written. */
let latest = { time: 0, text: '' };

/**
 * Creates an id such as `tag_mfk3v8wqXw3aB7_9`: a prefix that names the kind of record, the time in base 36, and 48 random
 * bits. Ids of about the same time are neighbours in an index, so that an insertion changes few of its pages.
 */
export function newId(prefix: string): string {
  if (used === pool.length) [pool, used] = [randomBytes(3 * 1_024).toString('base64url'), 0];
  const random = pool.slice(used, (used += randomLength));
  // The time is in no record: it keeps new ids together, and in the order of their creation.
  // eslint-disable-next-line no-restricted-syntax -- ids of a frozen clock must be close to each other too
  const time = Date.now();
  if (latest.time !== time) latest = { time, text: time.toString(36) };
  return `${prefix}_${latest.text}${random}`;
}

/** When an id was made, in real time to the millisecond, as a text that sorts. */
export function timeOfId(id: string): string {
  return id.slice(id.indexOf('_') + 1, -randomLength);
}
