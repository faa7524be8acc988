import { invalidValueError } from '../command/invalid-value.ts';
import { knownWords } from '../did-you-mean.ts';
import { usageError } from '../errors.ts';
import type { Row } from '../output/result.ts';
import type { Source } from './files/source.ts';

/** The fields of a record and how they are written in files. */
export interface Columns {
  /** The names of each field in files, the most common first, in lower case with only letters and digits. */
  readonly commonNames: Readonly<Record<string, readonly string[]>>;
  /** Converts a value in a file for the API; undefined for an empty value. */
  readonly readValue: (field: string, value: unknown) => unknown;
}

/** The header for each field. */
type Mapping = ReadonlyMap<string, string>;

/** A `--map` option: the header for a field. */
export interface Wanted {
  readonly header: string;
  readonly field: string;
}

function plain(header: string): string {
  return header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Parses `--map`.
 * @param pairs such as `Mobile (work)=phone_number`
 * @throws CliError 2 if one does not contain a known field
 */
export function readWanted(pairs: readonly string[], { commonNames }: Columns): Wanted[] {
  const fields = Object.keys(commonNames);
  return pairs.map((pair) => {
    const [, header = '', name = ''] = /^(.*)=([^=]*)$/s.exec(pair) ?? [];
    const field = fields.find((each) => each === name);
    const problem = name === '' ? 'must be <header>=<field>' : `names no field: '${name}'`;
    if (!field) throw invalidValueError('--map', pair, problem, knownWords('Fields', name, fields));
    return { header, field };
  });
}

/** Finds the header of each field: by `--map`, then by common names. */
export function findMapping(headers: readonly string[], wanted: readonly Wanted[], { commonNames }: Columns): Mapping {
  const mapping = new Map<string, string>();
  for (const { header: named, field } of wanted) {
    const header = findHeader(headers, named);
    if (header !== undefined) mapping.set(field, header);
  }
  const plainHeaders = headers.map((header) => ({ header, name: plain(header) }));
  for (const [field, names] of Object.entries(commonNames)) {
    if (mapping.has(field)) continue;
    const free = plainHeaders.filter(({ header }) => ![...mapping.values()].includes(header));
    const best = names.find((each) => free.some(({ name }) => name === each));
    const found = free.find(({ name }) => name === best);
    if (found) mapping.set(field, found.header);
  }
  return mapping;
}

function findHeader(headers: readonly string[], named: string): string | undefined {
  return headers.find((each) => each === named) ?? headers.find((each) => plain(each) === plain(named) && plain(named) !== '');
}

/** Fields of which at least one must have a column. */
interface Required {
  readonly fields: readonly string[];
  /** What the fields are, for an error: `phone numbers or identities`. */
  readonly what: string;
}

/**
 * Checks that the columns of a table can be imported. In JSON and YAML, each row can have its own field names.
 * @throws CliError 2 if `--map` refers to a missing column, a required column is missing, or a mapped column occurs twice
 */
export function checkColumns(
  { format, headers }: Source,
  wanted: readonly Wanted[],
  columns: Columns,
  required: readonly Required[],
): void {
  if ((format !== 'csv' && format !== 'xlsx') || headers.length === 0) return;
  for (const { header, field } of wanted)
    if (findHeader(headers, header) === undefined)
      throw usageError(`--map ${header}=${field}: the file has no '${header}'`, `It has: ${headers.join(', ')}`);
  const mapping = findMapping(headers, wanted, columns);
  for (const { fields, what } of required)
    if (!fields.some((field) => mapping.has(field)))
      throw usageError(
        `No column of the file holds ${what}`,
        `It has: ${headers.join(', ')}. Name the column: --map '<header>=${fields[0]}'`,
      );
  for (const header of mapping.values())
    if (headers.filter((each) => each === header).length > 1)
      throw usageError(`The file has several columns called '${header}'`, 'Give each column its own name.');
}

/** Describes which columns are imported and which are ignored; empty if none is imported. */
export function mappingNote(headers: readonly string[], wanted: readonly Wanted[], columns: Columns): string {
  const mapping = findMapping(headers, wanted, columns);
  const taken = [...mapping].map(([field, header]) => (field === header ? field : `${header} as ${field}`));
  const left = headers.filter((header) => header !== '' && ![...mapping.values()].includes(header));
  return taken.length > 0 ? `Importing ${taken.join(', ')}${left.length > 0 ? `; ignoring ${left.join(', ')}` : ''}.` : '';
}

/** Maps rows to the fields of the API. In JSON, each row can have its own field names. */
export class RowMapper {
  readonly #wanted: readonly Wanted[];
  readonly #columns: Columns;
  /** Cached mappings, by the field names of a row. */
  readonly #known = new Map<string, Mapping>();
  /** The total length of these names. */
  #knownSize = 0;

  constructor(wanted: readonly Wanted[], columns: Columns) {
    this.#wanted = wanted;
    this.#columns = columns;
  }

  /** A row with the field names of the API, without empty fields. */
  map(row: Row): Record<string, unknown> {
    const mapped: Record<string, unknown> = {};
    for (const [field, header] of this.#mappingOf(row)) {
      const value = this.#columns.readValue(field, row[header]);
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
      mapping = findMapping(headers, this.#wanted, this.#columns);
      this.#knownSize += key.length;
      // Limits the memory for a file whose rows all have different names.
      if (this.#knownSize < 1_000_000) this.#known.set(key, mapping);
    }
    return mapping;
  }
}
