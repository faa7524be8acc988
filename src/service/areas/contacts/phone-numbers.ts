import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** A number as it is kept. */
export interface PhoneNumber {
  /** In E.164. */
  readonly number: string;
  /** ISO 3166-1; null where the plan of its country does not tell. */
  readonly country: string | null;
}

/** What the lists of numbers of one import have in common, is found out once. */
const known = new Map<string, string | null>();
const knownMax = 20_000;

/** No plan tells by the last digits of a number of full length whose it is. Short ones are read one by one. */
const tailLength = 4;
const fullLength = 10;

/**
 * Reads a number in international format: a plus sign, the country, and digits with the usual separators between.
 * @returns null when it is none, or too short or too long for its country
 */
export function readPhoneNumber(text: string): PhoneNumber | null {
  const trimmed = text.trim();
  if (!/^\+[\d\s().\-/]{5,40}$/.test(trimmed)) return null;
  const digits = trimmed.replace(/\D/g, '');
  const head = digits.length < fullLength ? null : `${digits.length} ${digits.slice(0, -tailLength)}`;
  const country = head === null ? undefined : known.get(head);
  if (country !== undefined) return { number: `+${digits}`, country };
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (!parsed?.isPossible()) return null;
  const found = parsed.country ?? null;
  // A trunk prefix within, as in +44 (0)20, is taken out: such a number is not as its digits are.
  if (head !== null && parsed.number === `+${digits}`) {
    if (known.size >= knownMax) known.clear();
    known.set(head, found);
  }
  return { number: parsed.number, country: found };
}
