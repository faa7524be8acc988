import { hash, timingSafeEqual } from 'node:crypto';
import { bytesFor } from '../store/randomness.ts';

/** Creates a secret: a prefix for its kind, and 43 random URL-safe characters. */
export function newSecret(prefix: 'mk_' | 'sk_' | 'sandbox_' | 'whsec_' | 'wvt_'): string {
  return prefix + bytesFor(prefix, 32).toString('base64url');
}

/** Creates the id of a public page, which nobody can guess: 128 random bits. */
export function newPublicId(): string {
  return bytesFor('public id', 16).toString('base64url');
}

/** The stored form of a secret: its SHA-256 digest, in hexadecimal. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a secret has this digest. Compares in constant time. */
export function hasDigest(secret: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(wanted));
}

/** The masked form of a key: its first 4 characters, three dots, and its last 4 characters. */
export function preview(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`;
}
