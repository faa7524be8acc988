import { createHmac } from 'node:crypto';
import { mask } from '../contract/secret.ts';

/** The fields of a record, as the files have them: with names instead of ids. */
export type Fields = Readonly<Record<string, unknown>>;

/** A value of the environment, or one that stands where such a value will. It is never shown. */
export class Secret {
  readonly #value: string;
  /** The variable of the environment; null for a value that was read from the account. */
  readonly name: string | null;
  /** What people see in its place. */
  readonly shown: string;

  constructor(value: string, name: string | null, shown: string = mask) {
    this.#value = value;
    this.name = name;
    this.shown = shown;
  }

  reveal(): string {
    return this.#value;
  }

  /** Whether it is this value. */
  equals(value: string): boolean {
    return value === this.#value;
  }

  /** What a plan has instead of the value: a digest that only says whether it changed. */
  reference(salt: string): Fields {
    const digest = createHmac('sha256', salt).update(this.#value).digest('hex');
    return this.name === null ? { '!secret': digest } : { '!env': this.name, digest };
  }

  // A forgotten case shows nothing.
  toJSON(): string {
    return mask;
  }

  toString(): string {
    return mask;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret);
}

/** A copy of a value in which each leaf that is not a list or a map was replaced. */
export function mapLeaves(value: unknown, change: (leaf: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change, name));
  if (!isFields(value)) return change(value, name);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, change, key)]));
}

/** A value as requests send it. */
export function revealed(value: unknown): unknown {
  return mapLeaves(value, (leaf) => (leaf instanceof Secret ? leaf.reveal() : leaf));
}

/** A value as plans have it. @param salt the key of the digests */
export function withReferences(value: unknown, salt: string): unknown {
  return mapLeaves(value, (leaf) => (leaf instanceof Secret ? leaf.reference(salt) : leaf));
}

/** The fields of a journal, with secrets of unknown values where it has references. */
export function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (!isFields(value)) return value;
  if ('!env' in value || '!secret' in value) return new Secret('', null);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withSecrets(inner)]));
}

/** Hides the leaves of `value` where `like` has secrets: those of the same names. */
export function hiddenLike(value: unknown, like: unknown): unknown {
  const names = new Set<string>();
  mapLeaves(like, (leaf, name) => {
    if (leaf instanceof Secret) names.add(name);
  });
  const top = like instanceof Secret;
  return mapLeaves(value, (leaf, name) => ((top || names.has(name)) && typeof leaf === 'string' ? new Secret(leaf, null) : leaf));
}

/** Whether two values are the same. The order of a map's fields does not count, nor does a field that is null or left out. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) return isSameSecret(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (isFields(a) && isFields(b)) return holds(b, a) && Object.keys(b).every((name) => Object.hasOwn(a, name) || isEmpty(b[name]));
  return isEmpty(a) && isEmpty(b);
}

function isSameSecret(a: unknown, b: unknown): boolean {
  if (a instanceof Secret) return b instanceof Secret ? a.reveal() === b.reveal() : typeof b === 'string' && a.equals(b);
  return isSameSecret(b, a);
}

/** Whether a record has the wanted fields as they are wanted. */
export function holds(found: Fields, wanted: Fields): boolean {
  return Object.keys(wanted).every((name) => isSame(wanted[name], found[name]));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined;
}

/** The fields of `wanted` whose values differ in `found`. */
export function differing(wanted: Fields, found: Fields): string[] {
  return Object.keys(wanted).filter((field) => !isSame(wanted[field], found[field]));
}

/** A value as text that is the same for equal values. */
export function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return `{${entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${stableText(inner)}`)
    .join(',')}}`;
}

/** Some fields of a record. */
export function pick(fields: Fields, names: Iterable<string>): Fields {
  return Object.fromEntries([...names].filter((name) => name in fields).map((name) => [name, fields[name]]));
}

/** Orders texts by their characters, the same everywhere. */
export function inOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
