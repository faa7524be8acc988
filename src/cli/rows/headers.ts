import { invalidValueError } from '../invalid-value.ts';
import { knownWords } from '../did-you-mean.ts';
import { usageError } from '../errors.ts';
import type { ResultRow } from '../output/result.ts';
import type { Source } from './files/source.ts';
import { isBlank, isFormulaError } from './values.ts';

/** Columns that are one field: the name of a column, or the names of several whose first filled cell counts. */
type Names = string | readonly string[];

/** The fields of a record and how they are written in files. */
export interface Columns {
  /**
   * The names of each field in files, the most common first, in lower case with only letters and digits; `#` stands for a
   * number: `phone#value`.
   */
  readonly commonNames: Readonly<Record<string, readonly Names[]>>;
  /** What a table must have columns for. */
  readonly required: readonly Required[];
  /** Converts a value in a file for the API; undefined for an empty value. */
  readonly readValue: (field: string, value: unknown, header: string) => unknown;
}

/** Fields of which at least one must have a column. */
interface Required {
  readonly fields: readonly string[];
  /** What the fields are, for an error: `phone numbers or identities`. */
  readonly what: string;
}

/** The headers for each field. The first one whose cell is filled counts. */
type Mapping = ReadonlyMap<string, readonly string[]>;

/** A `--map` option: the header for a field. */
export interface Wanted {
  readonly header: string;
  readonly field: string;
}

/** A header as `commonNames` write it, without numbers. */
export function plain(header: string): string {
  return header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** A header as `commonNames` write it, and the number in it. */
function readHeader(header: string) {
  const name = plain(header);
  return { header, name: name.replace(/\d+/g, '#'), number: Number(/\d+/.exec(name)?.[0] ?? 0) };
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

/** Finds the headers of each field: by `--map`, then by common names. */
export function findMapping(headers: readonly string[], wanted: readonly Wanted[], { commonNames }: Columns): Mapping {
  const mapping = new Map<string, readonly string[]>();
  for (const { header: named, field } of wanted) {
    const header = findHeader(headers, named);
    if (header !== undefined) mapping.set(field, [...(mapping.get(field) ?? []), header]);
  }
  const known = headers.map(readHeader);
  for (const [field, alternatives] of Object.entries(commonNames)) {
    if (mapping.has(field)) continue;
    const taken = [...mapping.values()].flat();
    const named = (name: string) => known.filter((each) => each.name === name && !taken.includes(each.header));
    for (const names of alternatives) {
      const found =
        typeof names === 'string'
          ? named(names).slice(0, 1)
          : names.flatMap((name) => named(name).sort((one, other) => one.number - other.number));
      if (found.length === 0) continue;
      mapping.set(field, [...new Set(found.map(({ header }) => header))]);
      break;
    }
  }
  return mapping;
}

function findHeader(headers: readonly string[], named: string): string | undefined {
  return headers.find((each) => each === named) ?? headers.find((each) => plain(each) === plain(named) && plain(named) !== '');
}

/** Whether cells are the names of columns: they have those that a table must have. */
export function isHeading(cells: readonly string[], wanted: readonly Wanted[], columns: Columns): boolean {
  const mapping = findMapping(
    cells.map((cell) => cell.trim()),
    wanted,
    columns,
  );
  return columns.required.every(({ fields }) => fields.some((field) => mapping.has(field)));
}

/**
 * Checks that the columns of a table can be imported. In JSON, YAML and vCards, each row can have its own field names.
 * @throws CliError 2 if `--map` refers to a missing column, a required column is missing, or a mapped column occurs twice
 */
export function checkColumns({ format, headers, otherSheets }: Source, wanted: readonly Wanted[], columns: Columns): void {
  if ((format !== 'csv' && format !== 'xlsx') || headers.length === 0) return;
  const sheets = otherSheets.length > 0 ? `To read another sheet: --sheet '${otherSheets.join("', '")}'.` : undefined;
  for (const { header, field } of wanted)
    if (findHeader(headers, header) === undefined)
      throw usageError(`--map ${header}=${field}: the file has no '${header}'`, `It has: ${headers.join(', ')}`);
  const mapping = findMapping(headers, wanted, columns);
  for (const { fields, what } of columns.required)
    if (!fields.some((field) => mapping.has(field)))
      throw usageError(
        `No column of the file holds ${what}`,
        [`It has: ${headers.join(', ')}. Name the column: --map '<header>=${fields[0]}'`, sheets].filter(Boolean).join('. '),
      );
  for (const header of [...mapping.values()].flat())
    if (headers.filter((each) => each === header).length > 1)
      throw usageError(`The file has several columns called '${header}'`, 'Give each column its own name.');
}

/** Describes which columns are imported and which are ignored; empty if none is imported. */
export function mappingNote(headers: readonly string[], wanted: readonly Wanted[], columns: Columns): string {
  const mapping = findMapping(headers, wanted, columns);
  const taken = [...mapping].map(([field, found]) => (found.join() === field ? field : `${found.join(' or ')} as ${field}`));
  const left = headers.filter((header) => header !== '' && ![...mapping.values()].flat().includes(header));
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
  map(row: ResultRow): Record<string, unknown> {
    const mapped: Record<string, unknown> = {};
    for (const [field, headers] of this.#mappingOf(row)) {
      const header = headers.find((each) => !isBlank(row[each]) && !isFormulaError(row[each])) ?? headers[0] ?? '';
      const value = this.#columns.readValue(field, isFormulaError(row[header]) ? '' : row[header], header);
      if (value !== undefined) mapped[field] = value;
    }
    return mapped;
  }

  /** The headers of a row that a field is read from. */
  headersOf(row: ResultRow, field: string): readonly string[] {
    return this.#mappingOf(row).get(field) ?? [];
  }

  /** The mapping of a row. */
  #mappingOf(row: ResultRow): Mapping {
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
