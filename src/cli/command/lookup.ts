import type { Answer, Endpoint } from '../../contract/endpoint.ts';
import type { Row } from '../output/result.ts';

/** How the records of a list are found by name, and where the shell looks up values to complete. */
export interface Lookup {
  /** The kind of record, for messages: `short link`. */
  readonly what: string;
  readonly endpoint: Endpoint;
  /** The field of the answer that holds the rows. */
  readonly rows: string;
  /** The field shown as the description of a candidate. */
  readonly label: string;
  /** The field that is completed. */
  readonly value: string;
  /** The field that is the id of a record; `id` by default. */
  readonly idField?: string;
  /** What stands for a record beside its id. */
  readonly names: (row: Row) => readonly (string | null)[];
  /** What finds a record, for the help. */
  readonly givenBy: string;
  /** Brings a name into the form in which the service compares names; names are compared as they are by default. */
  readonly folded?: (name: string) => string;
  /** Searches the list for a name on the service, because the whole list can be long. */
  readonly searchQuery?: (name: string) => Readonly<Record<string, string>>;
  /** The endpoint that shows one record; without it, the record is found in the list. */
  readonly get?: Endpoint;
}

/** The fields of the answer that hold rows. */
type RowsOf<E extends Endpoint> = {
  [Name in keyof Answer<E> & string]: Answer<E>[Name] extends readonly object[] ? Name : never;
}[keyof Answer<E> & string];

type ItemOf<Rows> = Rows extends readonly (infer Item)[] ? Item : never;

/** What a lookup may have beside its list. */
interface Details<E extends Endpoint, Rows extends RowsOf<E>> extends Pick<Lookup, 'folded' | 'searchQuery' | 'get' | 'idField'> {
  /** The kind of record, for messages: `short link`; the noun of the endpoint without its `s` by default. */
  readonly what?: string;
  /** The field that is completed; `id` by default. */
  readonly value?: keyof ItemOf<Answer<E>[Rows]> & string;
  /** What stands for a record beside its id; its label by default. */
  readonly names?: (row: ItemOf<Answer<E>[Rows]>) => readonly (string | null)[];
  /** What finds a record, for the help: `the id or the slug`; the id or the label by default. */
  readonly givenBy?: string;
}

/**
 * Defines how the records of a list are found by name, and where the shell looks up values to complete.
 * @param rows the field of the answer that holds the rows
 * @param label the field that names a record
 */
export function lookup<const E extends Endpoint, const Rows extends RowsOf<E>>(
  endpoint: E,
  rows: Rows,
  label: keyof ItemOf<Answer<E>[Rows]> & string,
  details: Details<E, Rows> = {},
): Lookup {
  const { what = endpoint.name.replace(/s?\..*$/, ''), value = 'id', names, givenBy = `the id or the ${label}`, ...more } = details;
  return {
    endpoint,
    rows,
    label,
    what,
    value,
    names: (names as Lookup['names']) ?? ((row: Row) => [row[label] as string | null]),
    givenBy,
    ...more,
  };
}
