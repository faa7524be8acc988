import type { AnyColumn } from './columns.ts';

/** The columns of a table, by name. */
export type Columns = Readonly<Record<string, AnyColumn>>;

type Flatten<Type> = { [Key in keyof Type]: Type[Key] };

type OptionalNames<C extends Columns> = { [N in keyof C]: C[N]['optional'] extends true ? N : never }[keyof C];
type WireNames<C extends Columns> = { [N in keyof C]: C[N]['internalOnly'] extends true ? never : N }[keyof C];

type RowOf<C extends Columns> = { [N in keyof C]: C[N]['value'] };
type NewRowOf<C extends Columns> = Flatten<Omit<RowOf<C>, OptionalNames<C>> & Partial<Pick<RowOf<C>, OptionalNames<C>>>>;
type StoredOf<C extends Columns> = { -readonly [N in keyof C]: C[N]['stored'] };
/** A row as answers show it, without its internal columns. */
export type WireOf<C extends Columns> = { [N in WireNames<C>]: C[N]['wire'] };

/** A row as the service uses it. */
export type Row<T extends AnyTable> = RowOf<T['columns']>;

/** A row to insert. Nullable columns and columns with a default may be omitted. */
export type NewRow<T extends AnyTable> = NewRowOf<T['columns']>;

/** A row as stored in the database. */
export type StoredRow<T extends AnyTable> = StoredOf<T['columns']>;

/** Fields of a request body that have columns of the same names. */
type Fields<C extends Columns> = Partial<{ [N in keyof C]: C[N]['wire'] | undefined }>;

/** The columns that are set from fields. Optional fields may be absent. */
type Filled<C extends Columns, F> = Flatten<
  { [N in keyof F & keyof C as undefined extends F[N] ? never : N]: C[N]['value'] } & {
    [N in keyof F & keyof C as undefined extends F[N] ? N : never]?: C[N]['value'];
  }
>;

/** A table with any columns. */
export interface AnyTable {
  readonly name: string;
  readonly columns: Columns;
  readonly insertedColumns: readonly string[];
  readonly decode: (stored: never) => unknown;
  encode(values: never): object;
  insertedValues(row: never): unknown[];
  complete(row: never): unknown;
}

type Conversion = readonly [name: string, convert: (value: unknown) => unknown];

/** The conversions for the values of a table's columns. */
interface Conversions {
  readonly decodes: readonly Conversion[];
  readonly encodes: readonly Conversion[];
  readonly reads: ReadonlyMap<string, Conversion[1]>;
  readonly shown: readonly (readonly [name: string, show: Conversion[1] | undefined])[];
  readonly initial: Readonly<Record<string, unknown>>;
  readonly insertedColumns: readonly string[];
  readonly inserted: readonly { readonly column: string; readonly initial: unknown; readonly encode: Conversion[1] | undefined }[];
}

function conversionsOf(columns: Columns): Conversions {
  const all = Object.entries<AnyColumn>(columns);
  const having = (kind: 'decode' | 'encode' | 'read') =>
    all.flatMap(([column, { codec }]): Conversion[] => (codec[kind] ? [[column, codec[kind] as Conversion[1]]] : []));
  const initial = all.filter(([, { settings }]) => settings.initial !== undefined);
  // The database assigns `seq`.
  const inserted = all.filter(([column]) => column !== 'seq');
  return {
    decodes: having('decode'),
    encodes: having('encode'),
    reads: new Map(having('read')),
    shown: all
      .filter(([, { settings }]) => !settings.isInternal)
      .map(([column, { codec }]) => [column, codec.show as Conversion[1] | undefined] as const),
    initial: Object.fromEntries(initial.map(([column, { settings }]) => [column, settings.initial])),
    insertedColumns: inserted.map(([column]) => column),
    inserted: inserted.map(([column, { codec, settings }]) => {
      return { column, initial: settings.initial, encode: codec.encode as Conversion[1] | undefined };
    }),
  };
}

/**
 * The definition of a table. Its columns determine reads, writes, defaults and the shape of answers. A test compares each
 * definition with the migrated database.
 */
export class Table<Name extends string, C extends Columns> {
  readonly name: Name;
  readonly columns: C;
  #made: Conversions | undefined;

  constructor(name: Name, columns: C) {
    this.name = name;
    this.columns = columns;
  }

  /** Created on first use, because a command uses only a few tables. */
  get #conversions(): Conversions {
    return (this.#made ??= conversionsOf(this.columns));
  }

  /** The columns of an insertion, in the order of `insertedValues`. */
  get insertedColumns(): readonly string[] {
    return this.#conversions.insertedColumns;
  }

  /** Decodes a row of a query, or some of its columns. Changes the row in place. */
  readonly decode = <Stored extends Partial<StoredOf<C>>>(stored: Stored): Pick<RowOf<C>, keyof Stored & keyof C> => {
    const row = stored as Record<string, unknown>;
    for (const [column, decode] of this.#conversions.decodes) {
      const value = row[column];
      if (value !== null && value !== undefined) row[column] = decode(value);
    }
    return row as Pick<RowOf<C>, keyof Stored & keyof C>;
  };

  /** Encodes values for the database. Undefined values are omitted. */
  encode(values: Partial<RowOf<C>>): Partial<StoredOf<C>> {
    const stored: Record<string, unknown> = {};
    for (const column in values) if (values[column] !== undefined) stored[column] = values[column];
    for (const [column, encode] of this.#conversions.encodes) {
      const value = stored[column];
      if (value !== null && value !== undefined) stored[column] = encode(value);
    }
    return stored as Partial<StoredOf<C>>;
  }

  /** Encodes a new row for the database, in the order of `insertedColumns`. */
  insertedValues(row: NewRowOf<C>): unknown[] {
    return this.#conversions.inserted.map(({ column, initial, encode }) => {
      const given = (row as Record<string, unknown>)[column];
      const value = given === undefined ? initial : given;
      return encode && value !== null ? encode(value) : value;
    });
  }

  /** Fills in the defaults of a new row. */
  complete(row: NewRowOf<C>): RowOf<C> {
    return { ...this.#conversions.initial, ...(row as object) } as RowOf<C>;
  }

  /** Converts a row to its form in answers. */
  readonly show = (row: Pick<RowOf<C>, WireNames<C>>): WireOf<C> => {
    const shown: Record<string, unknown> = {};
    for (const [column, show] of this.#conversions.shown) {
      const value = (row as Record<string, unknown>)[column];
      shown[column] = show && value !== null ? show(value) : value;
    }
    return shown as WireOf<C>;
  };

  /** Converts the fields of a request body to column values. Undefined fields are omitted. */
  read<F extends Fields<C>>(fields: F & Record<Exclude<keyof F, keyof C>, never>): Filled<C, F> {
    const values: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      const read = this.#conversions.reads.get(field);
      values[field] = read && value !== null ? read(value) : value;
    }
    return values as Filled<C, F>;
  }
}

/** Defines a table. */
export function table<const Name extends string, C extends Columns>(name: Name, columns: C): Table<Name, C> {
  return new Table(name, columns);
}
