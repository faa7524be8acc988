import { usageError } from '../../errors.ts';

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
    const dialled = text.replace(/^00(?!0)/, '+');
    return international.test(dialled) ? dialled : inCountry(text);
  };
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
