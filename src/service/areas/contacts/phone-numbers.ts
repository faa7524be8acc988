import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** A phone number. */
export interface PhoneNumber {
  /** In E.164. */
  readonly number: string;
  /** ISO 3166-1; null where the number does not tell. */
  readonly country: string | null;
}

/** The countries of numbers that were read, by their length and their first digits: imports repeat them. */
const known = new Map<string, string | null>();
const knownMax = 20_000;

/** The last digits of a number of full length do not tell its country. Shorter numbers are always parsed. */
const tailLength = 4;
const fullLength = 10;

/**
 * Reads a number in international format: a plus sign, the country code, and digits with the usual separators.
 * @returns undefined when the text is none, or too short or too long for its country
 */
export function readPhoneNumber(text: string): PhoneNumber | undefined {
  const trimmed = text.trim();
  if (!/^\+[\d\s().\-/]{5,40}$/.test(trimmed)) return undefined;
  const digits = trimmed.replace(/\D/g, '');
  const head = digits.length < fullLength ? undefined : `${digits.length} ${digits.slice(0, -tailLength)}`;
  const country = head === undefined ? undefined : known.get(head);
  if (country !== undefined) return { number: `+${digits}`, country };
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (!parsed?.isPossible()) return undefined;
  const found = parsed.country ?? null;
  // The parser removes a trunk prefix, as in +44 (0)20: then the digits are not the number's, and are not remembered.
  if (head !== undefined && parsed.number === `+${digits}`) {
    if (known.size >= knownMax) known.clear();
    known.set(head, found);
  }
  return { number: parsed.number, country: found };
}
