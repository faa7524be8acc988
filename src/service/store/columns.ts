import { iso, parseInstant } from '../../contract/time/instants.ts';
import { toCredits, toMillionths } from './millionths.ts';

/** A value in the database. Both engines have these types. Booleans are stored as 0 or 1, and JSON as text. */
type StoredValue = string | number | Uint8Array | null;

/** The type of a column in the database. */
type ColumnType = 'text' | 'bigint' | 'bytes';

/** Converts a value other than null. */
type Convert = (value: never) => unknown;

/** Converts the values of a column between the service and the database, requests and answers. */
interface Codec {
  /** From the database. */
  readonly decode?: Convert;
  /** To the database. */
  readonly encode?: Convert;
  /** To the form in answers. */
  readonly show?: Convert;
  /** From a request. */
  readonly read?: Convert;
}

interface Settings {
  readonly isNullable: boolean;
  readonly isInternal: boolean;
  /** The default of a new row; undefined when a value is required. */
  readonly initial: unknown;
}

/**
 * A column, with the types of its values in the service (`Value`), in the database (`Stored`) and in requests and answers
 * (`Wire`). `Optional` columns may be omitted from a new row. `Internal` columns are not in answers.
 */
export class Column<Value, Stored extends StoredValue, Wire, Optional extends boolean = false, Internal extends boolean = false> {
  declare readonly value: Value;
  declare readonly stored: Stored;
  declare readonly wire: Wire;
  declare readonly optional: Optional;
  declare readonly internalOnly: Internal;
  readonly type: ColumnType;
  readonly codec: Codec;
  readonly settings: Settings;

  constructor(type: ColumnType, codec: Codec, settings: Settings = { isNullable: false, isInternal: false, initial: undefined }) {
    this.type = type;
    this.codec = codec;
    this.settings = settings;
  }

  /** Allows null, which then is the default of a new row. */
  nullable(): Column<Value | null, Stored | null, Wire | null, true, Internal> {
    return new Column(this.type, this.codec, { ...this.settings, isNullable: true, initial: null });
  }

  /** Sets the default of a new row. */
  default(value: Value): Column<Value, Stored, Wire, true, Internal> {
    return new Column(this.type, this.codec, { ...this.settings, initial: value });
  }

  /** Keeps the column out of answers. */
  internal(): Column<Value, Stored, Wire, Optional, true> {
    return new Column(this.type, this.codec, { ...this.settings, isInternal: true });
  }
}

/** Text, optionally limited to certain words. */
export function text(): Column<string, string, string>;
export function text<Word extends string>(): Column<Word, Word, Word>;
export function text(): Column<string, string, string> {
  return new Column('text', {});
}

/** A whole number within 53 bits. */
export function integer(): Column<number, number, number> {
  return new Column('bigint', {});
}

/** True or false, stored as 1 or 0. */
export function boolean(): Column<boolean, number, boolean> {
  return new Column('bigint', { decode: (value: number) => value === 1, encode: (value: boolean) => (value ? 1 : 0) });
}

/** An instant in epoch milliseconds. In requests and answers, it is ISO 8601 text. */
export function instant(): Column<number, number, string> {
  return new Column('bigint', { show: iso, read: (value: string) => parseInstant(value) });
}

/** Credits, stored as whole millionths so that sums are exact. In requests and answers, they are credits. */
export function credits(): Column<number, number, number> {
  return new Column('bigint', { show: toCredits, read: toMillionths });
}

/** Money, stored as whole cents so that sums are exact. In requests and answers, it has up to two decimal places. */
export function cents(): Column<number, number, number> {
  return new Column('bigint', { show: (value: number) => value / 100, read: (value: number) => Math.round(value * 100) });
}

/** Any JSON value, stored as text. */
export function json<Value>(): Column<Value, string, Value> {
  return new Column('text', { decode: (value: string) => JSON.parse(value) as Value, encode: (value: Value) => JSON.stringify(value) });
}

/** Bytes of any kind. */
export function bytes(): Column<Uint8Array, Uint8Array, Uint8Array> {
  return new Column('bytes', {});
}

// oxlint-disable-next-line typescript/no-explicit-any -- of any value
export type AnyColumn = Column<any, any, any, boolean, boolean>;
