import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isInternational, withoutSeparators } from './phone-text.ts';

/** A phone number. */
export interface PhoneNumber {
  /** In E.164. */
  readonly number: string;
  /** ISO 3166-1; null when the number does not show it. */
  readonly country: string | null;
}

/** Cached countries by the length and leading digits of earlier numbers. The numbers of an import often share them. */
const known = new Map<string, string | null>();
const knownMax = 20_000;

/** The country of a full-length number does not depend on its last digits. Shorter numbers are always parsed. */
const tailLength = 4;
const fullLength = 10;

/** The longest text that is read as a number, with its separators. */
const textMax = 41;

/**
 * Reads a number in international format: a plus sign, the country code, and digits with the usual separators.
 * @returns undefined when the text is not a phone number, or is too short or too long for its country
 */
export function readPhoneNumber(text: string): PhoneNumber | undefined {
  const trimmed = text.trim();
  if (trimmed.length > textMax || !isInternational(trimmed)) return undefined;
  const digits = withoutSeparators(trimmed).slice(1);
  const head = digits.length < fullLength ? undefined : `${digits.length} ${digits.slice(0, -tailLength)}`;
  const country = head === undefined ? undefined : known.get(head);
  if (country !== undefined) return { number: `+${digits}`, country };
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (!parsed?.isPossible()) return undefined;
  // An unassigned number counts as one of the main country of its calling code: +1 555 is the United States.
  const found = parsed.country ?? parsed.getPossibleCountries()[0] ?? null;
  // The parser removes a trunk prefix, as in +44 (0)20. The typed digits then differ from the number, so they are not cached.
  if (head !== undefined && parsed.number === `+${digits}`) {
    if (known.size >= knownMax) known.clear();
    known.set(head, found);
  }
  return { number: parsed.number, country: found };
}
