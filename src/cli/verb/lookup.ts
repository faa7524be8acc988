import type { Answer, Endpoint } from '../../contract/endpoint.ts';
import type { ResultRow } from '../output/result.ts';

/** Defines how to find the records of a list by name, and how the shell completes them. */
export interface Lookup<Item extends ResultRow = ResultRow> {
  /** The record type for messages, such as `short link`. */
  readonly what: string;
  /** What the reason of a 404 calls such a record; by default, like `what`. */
  readonly record: string;
  readonly endpoint: Endpoint;
  /** The command that lists the records, such as `kb gaps`, if it is not called like the endpoint. */
  readonly listedBy?: string;
  /** The response field that contains the rows. */
  readonly rows: string;
  /** The field of a row that holds the records, if they are read with others. */
  readonly within?: string;
  /** The field shown as the description of a completion candidate. */
  readonly label: string;
  /** The field that is completed. */
  readonly value: string;
  /** The field that contains the id; `id` by default. */
  readonly idField?: string;
  /** How its ids begin, for records whose names can look like an id of another record. */
  readonly idPrefix?: string;
  /** The names by which a record can be found, in addition to its id. */
  names(this: void, row: Item): readonly (string | null)[];
  /** How a request names a record, if not by its id, which may soon be that of another one. */
  addressed?(this: void, row: Item): string;
  /** Describes for the help what a record can be found by. */
  readonly givenBy: string;
  /** Normalises a name as the service does for comparison; by default, names are compared as they are. */
  readonly folded?: (name: string) => string;
  /** The query that searches for a name on the service, for lists that can be too long to read completely. */
  readonly searchQuery?: (name: string) => Readonly<Record<string, string>>;
  /** The endpoint that returns a single record; without it, the record is looked up in the list. */
  readonly get?: Endpoint;
}

/** The response fields that contain rows. */
type RowsOf<E extends Endpoint> = {
  [Name in keyof Answer<E> & string]: Answer<E>[Name] extends readonly object[] ? Name : never;
}[keyof Answer<E> & string];

type ItemOf<Rows> = Rows extends readonly (infer Item extends ResultRow)[] ? Item : never;

/** The optional properties of a lookup. */
interface Details<E extends Endpoint, Rows extends RowsOf<E>>
  extends Pick<Lookup, 'folded' | 'searchQuery' | 'get' | 'idField' | 'idPrefix' | 'listedBy'>, Partial<Pick<Lookup, 'record'>> {
  /** How a request names a record, if not by its id, which may soon be that of another one. */
  addressed?(this: void, row: ItemOf<Answer<E>[Rows]>): string;
  /** The record type for messages, such as `short link`; by default, derived from the noun of the endpoint without its `s`. */
  readonly what?: string;
  /** The field that is completed; `id` by default. */
  readonly value?: keyof ItemOf<Answer<E>[Rows]> & string;
  /** The names by which a record can be found, in addition to its id; by default, its label. */
  readonly names?: (row: ItemOf<Answer<E>[Rows]>) => readonly (string | null)[];
  /** Describes for the help what a record can be found by, such as `the id or the slug`; by default, the id or the label. */
  readonly givenBy?: string;
}

/**
 * Defines how to find the records of a list by name, and how the shell completes them.
 * @param rows the response field that contains the rows
 * @param label the field that contains the name of a record
 */
export function lookup<const E extends Endpoint, const Rows extends RowsOf<E>>(
  endpoint: E,
  rows: Rows,
  label: keyof ItemOf<Answer<E>[Rows]> & string,
  details: Details<E, Rows> = {},
): Lookup<ItemOf<Answer<E>[Rows]>> {
  const { what = endpoint.name.replace(/s?\..*$/, ''), value = 'id', names, givenBy = `the id or the ${label}`, ...more } = details;
  return {
    endpoint,
    rows,
    label,
    what,
    record: what.toLowerCase().replace(/\W/g, '_'),
    value,
    names: names ?? ((row) => [row[label] as string | null]),
    givenBy,
    ...more,
  };
}

/** How a request names a record that was looked up. */
export function addressIn<Item extends ResultRow>({ addressed }: Lookup<Item>, record: Item): string {
  return addressed ? addressed(record) : (record.id as string);
}
