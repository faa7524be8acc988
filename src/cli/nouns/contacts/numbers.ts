import { invalidValueError } from '../../invalid-value.ts';
import { todaysForm } from '../../../contract/areas/contacts/number-forms.ts';
import { isDamaged, isInternational } from '../../../contract/areas/contacts/phone-text.ts';

/** Invisible characters that spreadsheets and address books leave in phone numbers. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/** Reads phone numbers of a file. */
export interface NumberReader {
  /** Converts a number to international format. Returns text that it cannot read for certain unchanged. */
  readonly read: (text: string) => string;
  /** Why a number cannot be read for certain; undefined when only the service can tell what is wrong with it. */
  readonly flawOf: (text: string) => string | undefined;
}

/** A number of a country: one number, or the two that it can be. */
type NationalNumber = readonly [] | readonly [number: string] | readonly [written: string, dialled: string];

/**
 * Creates the reader of phone numbers: `0049 171…` becomes `+49 171…` and, with a country, `0171…` is a number of that
 * country.
 * @param country the ISO 3166-1 code for numbers without a country code
 * @throws CliError 2 if there is no such country
 */
export async function numberReader(country: string | undefined): Promise<NumberReader> {
  const readNational = country === undefined ? (): NationalNumber => [] : await nationalReader(country);
  return {
    read: (text) => {
      if (isInternational(text) || isDamaged(text)) return text;
      const plain = withoutTraces(text);
      const dialled = plain.replace(/^00(?!0)/, '+');
      if (isInternational(dialled)) return dialled;
      const [number = plain, other] = readNational(plain);
      return other === undefined ? number : plain;
    },
    flawOf: (text) => {
      const [number, other] = isInternational(text) ? [] : readNational(text);
      return other && `phone_number can be ${number} or ${other}: write it with + and the country code`;
    },
  };
}

function withoutTraces(text: string): string {
  const visible = text.normalize('NFKC').replace(invisible, '').replace(dashes, '-').trim();
  // With a leading apostrophe, a spreadsheet keeps the number as it was typed. Without, scripts write a decimal.
  return visible.replace(/^'/, '').replace(/^(\d{6,})\.0+$/, '$1');
}

async function nationalReader(country: string): Promise<(text: string) => NationalNumber> {
  // Only loaded if a country is given. The whole numbering plans: by the short ones, a number of Brazil could be two.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const code = country.toUpperCase();
  if (!isSupportedCountry(code))
    throw invalidValueError('--country', country, 'must be the ISO 3166-1 code of a country, such as US, GB or DE');
  return (text) => {
    const parsed = parsePhoneNumberFromString(text, { defaultCountry: code, extract: false });
    if (!parsed || parsed.ext !== undefined) return [];
    const { nationalNumber: digits, countryCallingCode: callingCode } = parsed;
    const number = todaysForm(parsed.number);
    // The library refuses some numbers of older numbering plans.
    if (number === parsed.number && !parsed.isPossible()) return [];
    // Where numbers differ in length, 49151… can be the German 049151… as well as +49151… that has lost its +.
    const isWhole = digits.length === text.match(/\p{Nd}/gu)?.length && digits.startsWith(callingCode);
    const dialled = isWhole ? parsePhoneNumberFromString(`+${digits}`, { extract: false }) : undefined;
    return dialled?.isValid() && dialled.number !== number ? [dialled.number, number] : [number];
  };
}
