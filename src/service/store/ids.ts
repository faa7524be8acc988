import { randomBytes } from 'node:crypto';

const randomLength = 6;

/** Random bytes for many ids, because fetching them for each id takes longer than creating the record. */
let pool = Buffer.alloc(0);

/**
 * Creates an id such as `tag_mfk3v8wqXw3aB7_9`: a prefix that names the kind of record, the time in base 36, and 48 random
 * bits. Ids of about the same time are neighbours in an index, so that an insertion changes few of its pages.
 */
export function newId(prefix: string): string {
  if (pool.length === 0) pool = randomBytes(randomLength * 512);
  const random = pool.toString('base64url', 0, randomLength);
  pool = pool.subarray(randomLength);
  // The time is in no record: it only keeps new ids together.
  // eslint-disable-next-line no-restricted-syntax -- ids of a frozen clock must be close to each other too
  return `${prefix}_${Date.now().toString(36)}${random}`;
}
