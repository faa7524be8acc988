import { usageError } from '../../errors.ts';

/** What spreadsheets and address books leave in phone numbers. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/** A phone number as the interface takes it, but perhaps with the usual separators. */
const international = /^\+[\d\s().\-/]+$/;

/** Turns a phone number as people write it into one in international format; one that it cannot read stays as it is. */
export type ReadNumber = (text: string) => string;

/**
 * Creates the reader of phone numbers: `0049 171…` is `+49 171…`, and with a country `0171…` is a number of that country.
 * @param country the ISO 3166-1 code of the country of numbers without a country code
 * @throws CliError 2 when there is no such country
 */
export async function numberReader(country: string | undefined): Promise<ReadNumber> {
  const inCountry = country === undefined ? (text: string) => text : await nationalReader(country);
  return (text) => {
    if (international.test(text)) return text;
    const plain = withoutTraces(text);
    const dialled = plain.replace(/^00(?!0)/, '+');
    return international.test(dialled) ? dialled : inCountry(plain);
  };
}

function withoutTraces(text: string): string {
  const visible = text.normalize('NFKC').replace(invisible, '').replace(dashes, '-').trim();
  // An apostrophe makes a spreadsheet keep the number as it was typed.
  return visible.replace(/^'/, '');
}

async function nationalReader(country: string): Promise<ReadNumber> {
  // The library of numbering plans is loaded only for numbers of a country.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const code = country.toUpperCase();
  if (!isSupportedCountry(code))
    throw usageError(`--country ${country}: there is no such country`, 'Give its ISO 3166-1 code: US, GB, DE.');
  return (text) => {
    const parsed = parsePhoneNumberFromString(text, { defaultCountry: code, extract: false });
    return parsed?.isPossible() && parsed.ext === undefined ? parsed.number : text;
  };
}
