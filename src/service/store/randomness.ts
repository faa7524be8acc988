import { createHmac, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Where the random values of a process come from, if not from the system: so that runs with the same calls have the same values. */
interface Seeded {
  readonly seed: string;
  /** The instant of ids, in epoch milliseconds. */
  readonly instant: number;
  /** How many values each purpose has got. */
  readonly counts: Map<string, number>;
}

let seeded: Seeded | undefined;

/**
 * Makes the ids, keys, tokens and secrets of this process the same in each run: for tests, as anybody can compute them. Values for one
 * purpose do not depend on how many there are for others, so that work in the background does not change them.
 * @param instant of ids, in epoch milliseconds
 */
export function seedRandomness(seed: number, instant: number): void {
  seeded = { seed: String(seed), instant, counts: new Map() };
}

/** Random bytes. @param purpose what they are for, which makes them different from others when there is a seed */
export function bytesFor(purpose: string, length: number): Buffer {
  return seeded ? seededBytes(seeded, purpose, length) : randomBytes(length);
}

/** 32 random hexadecimal digits, which take a tenth of the time of as many bytes: Node keeps some. @param purpose as in `bytesFor` */
export function digitsFor(purpose: string): string {
  return seeded ? seededBytes(seeded, purpose, 16).toString('hex') : randomUUID().replaceAll('-', '');
}

/** A random whole number from 0 up to, but not including, `end`. @param purpose as in `bytesFor` */
export function numberFor(purpose: string, end: number): number {
  return seeded ? Number(seededBytes(seeded, purpose, 8).readBigUInt64BE() % BigInt(end)) : randomInt(end);
}

/** The instant of ids, and the count of the id among those with its prefix, if there is a seed. */
export function seededId(prefix: string): { readonly instant: number; readonly count: number; readonly start: number } | undefined {
  if (!seeded) return undefined;
  const count = nextCount(seeded, `id ${prefix}`);
  return { instant: seeded.instant, count, start: digest(seeded.seed, `start ${prefix}`).readUInt32BE() };
}

function nextCount({ counts }: Seeded, purpose: string): number {
  const count = counts.get(purpose) ?? 0;
  counts.set(purpose, count + 1);
  return count;
}

function seededBytes(source: Seeded, purpose: string, length: number): Buffer {
  const count = nextCount(source, purpose);
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, part) => digest(source.seed, `${purpose} ${count} ${part}`));
  return Buffer.concat(parts).subarray(0, length);
}

function digest(seed: string, text: string): Buffer {
  return createHmac('sha256', seed).update(text).digest();
}
