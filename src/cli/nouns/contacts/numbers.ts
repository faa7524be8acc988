import { invalidValueError } from '../../command/invalid-value.ts';
import { isInternational } from '../../../contract/areas/contacts/phone-text.ts';

/** Invisible characters that spreadsheets and address books leave in phone numbers. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/** Converts a phone number to international format. Returns text that it cannot parse unchanged. */
export type ReadNumber = (text: string) => string;

/**
 * Creates the parser for phone numbers: `0049 171…` becomes `+49 171…` and, with a country, `0171…` is a number of that
 * country.
 * @param country the ISO 3166-1 code for numbers without a country code
 * @throws CliError 2 if there is no such country
 */
export async function numberReader(country: string | undefined): Promise<ReadNumber> {
  const inCountry = country === undefined ? (text: string) => text : await nationalReader(country);
  return (text) => {
    if (isInternational(text)) return text;
    const plain = withoutTraces(text);
    const dialled = plain.replace(/^00(?!0)/, '+');
    return isInternational(dialled) ? dialled : inCountry(plain);
  };
}

function withoutTraces(text: string): string {
  const visible = text.normalize('NFKC').replace(invisible, '').replace(dashes, '-').trim();
  // With a leading apostrophe, a spreadsheet keeps the number as it was typed.
  return visible.replace(/^'/, '');
}

async function nationalReader(country: string): Promise<ReadNumber> {
  // The library of numbering plans is only loaded if a country is given.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const code = country.toUpperCase();
  if (!isSupportedCountry(code))
    throw invalidValueError('--country', country, 'must be the ISO 3166-1 code of a country, such as US, GB or DE');
  return (text) => {
    const parsed = parsePhoneNumberFromString(text, { defaultCountry: code, extract: false });
    return parsed?.isPossible() && parsed.ext === undefined ? parsed.number : text;
  };
}
