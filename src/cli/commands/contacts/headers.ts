import { usageError } from '../../errors.ts';
import type { Row } from '../../output/result.ts';

/** What a row of an import can say. */
export const importFields = ['phone_number', 'first_name', 'last_name', 'channel'] as const;

export type ImportField = (typeof importFields)[number];

/** What files call these fields, in lower case and without anything but letters and digits. */
const known: Record<ImportField, readonly string[]> = {
  phone_number: [
    'phonenumber',
    'phone',
    'phoneno',
    'mobile',
    'mobilephone',
    'mobilenumber',
    'cell',
    'cellphone',
    'tel',
    'telephone',
    'telephonenumber',
    'msisdn',
    'number',
  ],
  first_name: ['firstname', 'first', 'givenname', 'given', 'forename'],
  last_name: ['lastname', 'last', 'surname', 'familyname', 'family'],
  channel: ['channel'],
};

/** Which header holds which field. */
export type Mapping = ReadonlyMap<ImportField, string>;

function plain(header: string): string {
  return header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Finds out which header holds which field: what `--map` says, then the usual names, the most usual first.
 * @param headers those of the file
 * @param wanted `--map`'s pairs, header by header: `phone=phone_number`
 * @throws CliError 2 when a pair names no header or field, or nothing holds the phone number
 */
export function mapHeaders(headers: readonly string[], wanted: readonly string[]): Mapping {
  const mapping = new Map<ImportField, string>();
  for (const pair of wanted) {
    const [, named = '', field = ''] = /^(.*)=([^=]*)$/s.exec(pair) ?? [];
    const header = headers.find((each) => each === named) ?? headers.find((each) => plain(each) === plain(named));
    const known = importFields.find((each) => each === field);
    if (!known) throw usageError(`--map ${pair}: must be <header>=<field>`, `Fields: ${importFields.join(', ')}`);
    if (header === undefined || named === '')
      throw usageError(`--map ${pair}: the file has no '${named}'`, `It has: ${headers.join(', ')}`);
    mapping.set(known, header);
  }
  for (const field of importFields) {
    if (mapping.has(field)) continue;
    const free = headers.filter((header) => ![...mapping.values()].includes(header));
    for (const name of known[field]) {
      const header = free.find((each) => plain(each) === name);
      if (header === undefined) continue;
      mapping.set(field, header);
      break;
    }
  }
  if (!mapping.has('phone_number'))
    throw usageError(
      'Nothing in the file is called a phone number',
      `It has: ${headers.join(', ')}. Name it: --map '<header>=phone_number'`,
    );
  return mapping;
}

/** What a row says, by the names of the interface; what is empty is left out. */
export function mapRow(row: Row, mapping: Mapping): Row {
  const mapped: Record<string, unknown> = {};
  for (const [field, header] of mapping) {
    const value = row[header];
    if (value === undefined || value === null || value === '') continue;
    // Spreadsheets and scripts write numbers as numbers.
    mapped[field] = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value;
  }
  return mapped;
}
