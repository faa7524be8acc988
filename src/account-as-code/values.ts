import { compareTexts } from '../contract/text/compare-texts.ts';
import { mask } from '../contract/secret.ts';

/** The fields of a record as in files: with names instead of ids. */
export type Fields = Readonly<Record<string, unknown>>;

/** A secret value from the environment or the account, or a placeholder for one. It is never shown. */
export class Secret {
  readonly #value: string;
  /** The name of the environment variable; null for a value that was read from the account. */
  readonly name: string | null;
  /** The text to show instead. */
  readonly shown: string;

  constructor(value: string, name: string | null, shown: string = mask) {
    this.#value = value;
    this.name = name;
    this.shown = shown;
  }

  reveal(): string {
    return this.#value;
  }

  /** Whether the secret has this value. */
  equals(value: string): boolean {
    return value === this.#value;
  }

  /**
   * What plans and journals contain instead of the value.
   * @param digestOf computes what only reveals whether the value changed; without it, the reference has no digest
   */
  reference(digestOf?: (value: string) => string): Fields {
    const digest = digestOf?.(this.#value);
    return this.name === null ? { '!secret': digest ?? '' } : { '!env': this.name, ...(digest !== undefined && { digest }) };
  }

  // Hides the value by default.
  toJSON(): unknown {
    return mask;
  }

  toString(): string {
    return mask;
  }
}

/** The secret of a record, which answers do not show. It equals every other secret, and is written as an empty text. */
class UnknownSecret extends Secret {
  constructor() {
    super('', null);
  }

  override equals(): boolean {
    return true;
  }

  override reference(): Fields {
    return { '!secret': '' };
  }

  // Journals contain it in the images of records.
  override toJSON(): unknown {
    return this.reference();
  }
}

export const unknownSecret: Secret = new UnknownSecret();

/** The value of a JSON document, for `JSON.parse`, with unknown secrets in place of their references. */
export function withUnknownSecrets(_key: string, value: unknown): unknown {
  return isFields(value) && value['!secret'] === '' ? unknownSecret : value;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Secret);
}

/** A copy of a value in which `change` has replaced each leaf: everything but lists and maps. */
export function mapLeaves(value: unknown, change: (leaf: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change, name));
  if (!isFields(value)) return change(value, name);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, change, key)]));
}

/** A value with its secrets revealed, for requests. */
export function revealed(value: unknown): unknown {
  return mapLeaves(value, (leaf) => (leaf instanceof Secret ? leaf.reveal() : leaf));
}

/**
 * A value with references instead of secrets, for plans and journals.
 * @param digestOf computes the digest of a secret in a field; without it, the references have none
 */
export function withReferences(value: unknown, digestOf?: (value: string, field: string) => string): unknown {
  return mapLeaves(value, (leaf, field) =>
    leaf instanceof Secret ? leaf.reference(digestOf && ((secret) => digestOf(secret, field))) : leaf,
  );
}

/** Whether a variable of the environment belongs to this program: others must not make a key of it a value that can be read. */
export function isOwnVariable(name: string): boolean {
  return /^MSGCTL_/i.test(name);
}

/** The fields of a journal, with secrets of unknown value instead of references. */
export function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (!isFields(value)) return value;
  if ('!env' in value || '!secret' in value) return new Secret('', null);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withSecrets(inner)]));
}

/** The fields of a journal whose values do not contain references to secrets. */
export function plainFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !hasSecrets(withSecrets(value))));
}

/** Whether a value contains a secret. */
export function hasSecrets(value: unknown): boolean {
  if (value instanceof Secret) return true;
  return (Array.isArray(value) || isFields(value)) && Object.values(value).some(hasSecrets);
}

/** Hides the leaves of `value` whose field names belong to secrets in `like`. */
export function hiddenLike(value: unknown, like: unknown): unknown {
  const names = new Set<string>();
  mapLeaves(like, (leaf, name) => {
    if (leaf instanceof Secret) names.add(name);
  });
  const top = like instanceof Secret;
  return mapLeaves(value, (leaf, name) => ((top || names.has(name)) && typeof leaf === 'string' ? new Secret(leaf, null) : leaf));
}

/** Whether two values are equal. The order of fields is not significant, and null equals a missing field. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) return isSameSecret(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (isFields(a) && isFields(b)) return hasFields(b, a) && Object.keys(b).every((name) => Object.hasOwn(a, name) || isEmpty(b[name]));
  return isEmpty(a) && isEmpty(b);
}

function isSameSecret(a: unknown, b: unknown): boolean {
  if (!(a instanceof Secret)) return isSameSecret(b, a);
  return b instanceof Secret ? a.equals(b.reveal()) || b.equals(a.reveal()) : typeof b === 'string' && a.equals(b);
}

/** Whether a record has all wanted fields with equal values. */
export function hasFields(found: Fields, wanted: Fields): boolean {
  return Object.keys(wanted).every((name) => isSame(wanted[name], found[name]));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined;
}

/** The fields of `wanted` whose values differ in `found`. */
export function differing(wanted: Fields, found: Fields): string[] {
  return Object.keys(wanted).filter((field) => !isSame(wanted[field], found[field]));
}

/** Serializes a value so that equal values have the same text. */
export function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return `{${entries
    .sort(([one], [other]) => compareTexts(one, other))
    .map(([key, inner]) => `${JSON.stringify(key)}:${stableText(inner)}`)
    .join(',')}}`;
}

/** A map whose names are spelled as in another one, where they differ only in case. */
export function spelledLike(map: Fields, like: Fields): Fields {
  const names = new Map(Object.keys(like).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]));
}

/** A copy of a record without the given fields. */
export function omit(fields: Fields, names: readonly string[]): Fields {
  return names.length === 0 ? fields : Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** A copy of a record with only the given fields. */
export function pick(fields: Fields, names: Iterable<string>): Fields {
  return Object.fromEntries([...names].filter((name) => name in fields).map((name) => [name, fields[name]]));
}
