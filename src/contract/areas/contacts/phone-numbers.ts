import { type CountryCode, parsePhoneNumberFromString, type PhoneNumber as ParsedNumber } from 'libphonenumber-js/min';
import { spellingsOf, todaysForm } from './number-forms.ts';
import { isInternational, withoutSeparators } from './phone-text.ts';

/** A phone number. */
export interface PhoneNumber {
  /** In E.164, in the form of today's numbering plan. */
  readonly number: string;
  /** ISO 3166-1; null when the number does not show it. */
  readonly country: string | null;
  /** The numbers, in E.164, under which somebody may be known, in the order in which they are looked for. */
  readonly spellings: readonly string[];
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
  const written = withoutSeparators(trimmed);
  const head = written.length <= fullLength ? undefined : `${written.length} ${written.slice(0, -tailLength)}`;
  const country = head === undefined ? undefined : known.get(head);
  if (country !== undefined) return { number: written, country, spellings: spellingsOf(written) };
  const parsed = possible(written);
  const spelled = parsed?.number ?? written;
  // The library refuses some numbers of older plans, and keeps others as they are.
  const inForce = possible(todaysForm(spelled)) ?? parsed;
  if (!inForce) return undefined;
  const today = withZeroOfItaly(inForce);
  const { number } = today;
  // An unassigned number counts as one of the main country of its calling code: +1 555 is the United States.
  const found = today.country ?? today.getPossibleCountries()[0] ?? null;
  // The parser removes a trunk prefix, as in +44 (0)20. The typed digits then differ from the number, so they are not cached.
  if (number === written && head !== undefined) {
    if (known.size >= knownMax) known.clear();
    known.set(head, found);
  }
  return { number, country: found, spellings: [...new Set([spelled, ...spellingsOf(number)])] };
}

/**
 * Reads a number that may be written as within a country, without a plus sign.
 * @param country the two capital letters of the country; null for none
 * @returns undefined when the text is not a phone number there
 */
export function readNationalNumber(text: string, country: string | null): PhoneNumber | undefined {
  const trimmed = text.trim();
  if (country === null || isInternational(trimmed) || trimmed.length > textMax || !/^[\d\s()./-]+$/.test(trimmed))
    return readPhoneNumber(text);
  const parsed = parsePhoneNumberFromString(trimmed, country as CountryCode);
  return parsed?.isPossible() ? readPhoneNumber(parsed.number) : undefined;
}

/** A number whose length is possible for its country. */
function possible(number: string): ParsedNumber | undefined {
  const parsed = parsePhoneNumberFromString(number);
  return parsed?.isPossible() ? parsed : undefined;
}

/** Landlines of Italy have a 0 after the country code, mobile numbers have none. The library keeps what is written. */
function withZeroOfItaly(written: ParsedNumber): ParsedNumber {
  if (written.countryCallingCode !== '39' || written.isValid()) return written;
  const { nationalNumber: digits } = written;
  const other = possible(digits.startsWith('0') ? `+39${digits.slice(1)}` : `+390${digits}`);
  return other?.isValid() ? other : written;
}
