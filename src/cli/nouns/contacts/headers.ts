import { usageError } from '../../errors.ts';
import type { Row } from '../../output/result.ts';
import { type ImportField, importFields, readValue } from './values.ts';

/** Usual names of these fields in files, most usual first, in lower case and with letters and digits only. */
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
  identity: ['identity'],
  channel: ['channel'],
  email: ['email', 'emailaddress', 'mail'],
  company: ['company', 'companyname', 'organization', 'organisation'],
  do_not_disturb: ['donotdisturb', 'dnd', 'optout', 'unsubscribed'],
  private_mode: ['privatemode'],
  archived: ['archived'],
  tags: ['tags', 'tagsname', 'labels'],
};

/** The header that holds each field. */
type Mapping = ReadonlyMap<ImportField, string>;

/** One `--map`: the header that holds a field. */
export interface Wanted {
  readonly header: string;
  readonly field: ImportField;
}

function plain(header: string): string {
  return header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Reads the values of `--map`.
 * @param pairs such as `Mobile (work)=phone_number`
 * @throws CliError 2 when one does not name a field
 */
export function readWanted(pairs: readonly string[]): Wanted[] {
  return pairs.map((pair) => {
    const [, header = '', name = ''] = /^(.*)=([^=]*)$/s.exec(pair) ?? [];
    const field = importFields.find((each) => each === name);
    if (!field) throw usageError(`--map ${pair}: must be <header>=<field>`, `Fields: ${importFields.join(', ')}`);
    return { header, field };
  });
}

/** Finds the header of each field: by `--map`, then by the usual names. */
export function findMapping(headers: readonly string[], wanted: readonly Wanted[]): Mapping {
  const mapping = new Map<ImportField, string>();
  for (const { header: named, field } of wanted) {
    const header = findHeader(headers, named);
    if (header !== undefined) mapping.set(field, header);
  }
  const plainHeaders = headers.map((header) => ({ header, name: plain(header) }));
  for (const field of importFields) {
    if (mapping.has(field)) continue;
    const free = plainHeaders.filter(({ header }) => ![...mapping.values()].includes(header));
    const usual = usualNames[field].find((each) => free.some(({ name }) => name === each));
    const found = free.find(({ name }) => name === usual);
    if (found) mapping.set(field, found.header);
  }
  return mapping;
}

function findHeader(headers: readonly string[], named: string): string | undefined {
  return headers.find((each) => each === named) ?? headers.find((each) => plain(each) === plain(named) && plain(named) !== '');
}

/**
 * Checks that the columns of a CSV file can be imported.
 * @throws CliError 2 when `--map` names a missing column, when no column holds phone numbers or identities, or when
 * a mapped column appears twice
 */
export function checkColumns(headers: readonly string[], wanted: readonly Wanted[]): void {
  for (const { header, field } of wanted)
    if (findHeader(headers, header) === undefined)
      throw usageError(`--map ${header}=${field}: the file has no '${header}'`, `It has: ${headers.join(', ')}`);
  const mapping = findMapping(headers, wanted);
  if (!mapping.has('phone_number') && !mapping.has('identity'))
    throw usageError(
      'No column of the file holds phone numbers or identities',
      `It has: ${headers.join(', ')}. Name the column: --map '<header>=phone_number'`,
    );
  for (const header of mapping.values())
    if (headers.filter((each) => each === header).length > 1)
      throw usageError(`The file has several columns called '${header}'`, 'Give each column its own name.');
}

/** Maps rows to the fields of the interface. In JSON, every row can have its own names. */
export class RowMapper {
  readonly #wanted: readonly Wanted[];
  /** Mappings by the names of a row, for rows with the same names. */
  readonly #known = new Map<string, Mapping>();
  /** The characters of these names. */
  #knownSize = 0;

  constructor(wanted: readonly Wanted[]) {
    this.#wanted = wanted;
  }

  /** A row with the field names of the interface, without empty fields. */
  map(row: Row): Record<string, unknown> {
    const mapped: Record<string, unknown> = {};
    for (const [field, header] of this.#mappingOf(row)) {
      const value = readValue(field, row[header]);
      if (value !== undefined) mapped[field] = value;
    }
    return mapped;
  }

  /** The mapping of a row. */
  #mappingOf(row: Row): Mapping {
    const headers = Object.keys(row);
    const key = headers.join('\n');
    let mapping = this.#known.get(key);
    if (!mapping) {
      mapping = findMapping(headers, this.#wanted);
      this.#knownSize += key.length;
      // The limit bounds memory for a file whose rows all differ.
      if (this.#knownSize < 1_000_000) this.#known.set(key, mapping);
    }
    return mapping;
  }
}
