import { usageError } from '../../errors.ts';
import type { Row } from '../../output/result.ts';

/** What a row of an import can say. */
export const importFields = ['phone_number', 'first_name', 'last_name', 'channel'] as const;

export type ImportField = (typeof importFields)[number];

/** What files call these fields, in lower case and without anything but letters and digits; the most usual first. */
const usualNames: Record<ImportField, readonly string[]> = {
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

/** What `--map` says: this header holds that field. */
export interface Wanted {
  readonly header: string;
  readonly field: ImportField;
}

function plain(header: string): string {
  return header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Reads what `--map` says.
 * @param pairs such as `Mobile (work)=phone_number`
 * @throws CliError 2 when one names no field
 */
export function readWanted(pairs: readonly string[]): Wanted[] {
  return pairs.map((pair) => {
    const [, header = '', name = ''] = /^(.*)=([^=]*)$/s.exec(pair) ?? [];
    const field = importFields.find((each) => each === name);
    if (!field) throw usageError(`--map ${pair}: must be <header>=<field>`, `Fields: ${importFields.join(', ')}`);
    return { header, field };
  });
}

/** Finds out which header holds which field: what `--map` says, then the usual names. */
export function findMapping(headers: readonly string[], wanted: readonly Wanted[]): Mapping {
  const mapping = new Map<ImportField, string>();
  for (const { header: named, field } of wanted) {
    const header = findHeader(headers, named);
    if (header !== undefined) mapping.set(field, header);
  }
  for (const field of importFields) {
    if (mapping.has(field)) continue;
    const free = headers.filter((header) => ![...mapping.values()].includes(header));
    const name = usualNames[field].find((usual) => free.some((header) => plain(header) === usual));
    const header = free.find((each) => plain(each) === name);
    if (header !== undefined) mapping.set(field, header);
  }
  return mapping;
}

function findHeader(headers: readonly string[], named: string): string | undefined {
  return headers.find((each) => each === named) ?? headers.find((each) => plain(each) === plain(named) && plain(named) !== '');
}

/**
 * Maps the columns of a file, which all its rows have.
 * @throws CliError 2 when `--map` names a column that is not there, when nothing holds the phone number, or when a column
 * that is wanted stands there twice
 */
export function mapColumns(headers: readonly string[], wanted: readonly Wanted[]): Mapping {
  for (const { header, field } of wanted)
    if (findHeader(headers, header) === undefined)
      throw usageError(`--map ${header}=${field}: the file has no '${header}'`, `It has: ${headers.join(', ')}`);
  const mapping = findMapping(headers, wanted);
  if (!mapping.has('phone_number'))
    throw usageError(
      'Nothing in the file is called a phone number',
      `It has: ${headers.join(', ')}. Name it: --map '<header>=phone_number'`,
    );
  for (const header of mapping.values())
    if (headers.filter((each) => each === header).length > 1)
      throw usageError(`The file has several columns called '${header}'`, 'Give each a name of its own.');
  return mapping;
}

/** Tells what each row says. Rows of JSON may have names of their own each. */
export class RowMapper {
  readonly #wanted: readonly Wanted[];
  /** Of rows that have the same names. */
  readonly #known = new Map<string, Mapping>();

  constructor(wanted: readonly Wanted[]) {
    this.#wanted = wanted;
  }

  /** Which of a row's names holds which field. */
  mappingOf(row: Row): Mapping {
    const headers = Object.keys(row);
    const key = headers.join('\n');
    let mapping = this.#known.get(key);
    if (!mapping) {
      mapping = findMapping(headers, this.#wanted);
      // Rows that are all different are not worth remembering.
      if (this.#known.size < 1_000) this.#known.set(key, mapping);
    }
    return mapping;
  }

  /** What a row says, by the names of the interface; what is empty is left out. */
  map(row: Row): Row {
    const mapped: Record<string, unknown> = {};
    for (const [field, header] of this.mappingOf(row)) {
      const value = row[header];
      if (value === undefined || value === null || value === '') continue;
      // Spreadsheets and scripts write numbers as numbers.
      mapped[field] = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value;
    }
    return mapped;
  }
}
