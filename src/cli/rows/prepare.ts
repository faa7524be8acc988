import { limits } from '../../contract/limits.ts';
import type { ResultRow } from '../output/result.ts';
import type { SourceRow } from './files/source.ts';

/** The size limit for the rows of one call, in bytes: the limit of a request body, less some space for its other fields. */
export const callBytes = limits.bodyBytes - 10_000;

/** A row as it is sent. Does not keep the columns by name, which would take much memory. */
export interface PreparedRow extends Omit<SourceRow, 'value'> {
  /** Its number in the file, starting at 1. */
  readonly row: number;
  /** The row with the field names of the API; null if it is not an object. */
  readonly mapped: ResultRow | null;
  /** Its size in a request, in bytes; 0 if it is invalid and not sent. */
  readonly size: number;
}

/** Converts a row of a file, with its number, to a row to send. */
export type Prepare = (row: SourceRow, number: number) => PreparedRow;

/**
 * Creates a function that converts rows of a file to rows to send.
 * @param map converts a row to the fields of the API
 * @param findFlaw returns why a mapped row cannot be sent; by default, only the service validates rows
 */
export function preparation(
  map: (value: ResultRow) => ResultRow,
  findFlaw: (mapped: ResultRow | null) => string | undefined = () => undefined,
): Prepare {
  return ({ value, ...rest }, row) => {
    const mapped = value && map(value);
    const size = Buffer.byteLength(JSON.stringify(mapped)) + 1;
    const flaw = rest.flaw ?? (size > callBytes ? 'is larger than the limit of a request' : findFlaw(mapped));
    return flaw === undefined ? { ...rest, row, mapped, size } : { ...rest, row, mapped, size: 0, flaw };
  };
}
