import { randomBytes } from 'node:crypto';

const idBytes = 12;

/** Random bytes for many ids, because fetching them for each id takes longer than creating the record. */
let pool = Buffer.alloc(0);

/** Creates an id such as `tag_Xw3…`: a prefix that names the kind of record, and 16 random characters. */
export function newId(prefix: string): string {
  if (pool.length === 0) pool = randomBytes(idBytes * 512);
  const text = pool.toString('base64url', 0, idBytes);
  pool = pool.subarray(idBytes);
  return `${prefix}_${text}`;
}
