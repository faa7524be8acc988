import { hash, randomBytes } from 'node:crypto';

const idBytes = 12;

/** Randomness for ids is drawn for many at once: a single draw costs more than all else that a record takes. */
let pool = Buffer.alloc(0);

/** Makes an id such as `tag_Xw3…`: 16 characters of randomness behind the noun's prefix. */
export function newId(prefix: string): string {
  if (pool.length === 0) pool = randomBytes(idBytes * 512);
  const text = pool.toString('base64url', 0, idBytes);
  pool = pool.subarray(idBytes);
  return `${prefix}_${text}`;
}

/** Makes a secret: 43 random URL-safe characters behind a prefix that tells its kind. */
export function newSecret(prefix: 'mk_' | 'sk_' | 'sandbox_' | 'whsec_'): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** What is stored in the place of a secret (Document 4, Credentials). */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** The masked form of a key: its first 4 characters, three dots, its last 4 (1/Main API key). */
export function preview(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`;
}
