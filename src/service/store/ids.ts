import { randomBytes } from 'node:crypto';

const idBytes = 12;

/** Random bytes for many ids: a single draw costs more than all else that a record takes. */
let pool = Buffer.alloc(0);

/** Makes an id such as `tag_Xw3…`: 16 random characters after a prefix that names the kind of record. */
export function newId(prefix: string): string {
  if (pool.length === 0) pool = randomBytes(idBytes * 512);
  const text = pool.toString('base64url', 0, idBytes);
  pool = pool.subarray(idBytes);
  return `${prefix}_${text}`;
}
