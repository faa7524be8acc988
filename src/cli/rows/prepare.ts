import { limits } from '../../contract/limits.ts';
import type { Row } from '../output/result.ts';
import type { SourceRow } from './files/source.ts';

/** The size limit of the rows of one call, in bytes: the limit of a request body, less some room for the rest of it. */
export const callBytes = limits.bodyBytes - 10_000;

/** A row as it is sent. It does not hold all columns by their names, which would take much memory. */
export interface PreparedRow extends Omit<SourceRow, 'value'> {
  /** Its number in the file, starting at 1. */
  readonly row: number;
  /** The row with the field names of the interface; null when it is not an object. */
  readonly mapped: Row | null;
  /** Its size in a request, in bytes; 0 when it has a flaw and is not sent. */
  readonly size: number;
}

/** Turns a row of a file, with its number, into a row of a call. */
export type Prepare = (row: SourceRow, number: number) => PreparedRow;

/**
 * Creates what turns rows of a file into rows of a call.
 * @param map brings a row into the fields of the interface
 * @param findFlaw says why a mapped row cannot be sent; by default, only the service judges
 */
export function preparation(map: (value: Row) => Row, findFlaw: (mapped: Row | null) => string | undefined = () => undefined): Prepare {
  return ({ value, ...rest }, row) => {
    const mapped = value && map(value);
    const size = Buffer.byteLength(JSON.stringify(mapped)) + 1;
    const flaw = rest.flaw ?? (size > callBytes ? 'is larger than the limit of a request' : findFlaw(mapped));
    return flaw === undefined ? { ...rest, row, mapped, size } : { ...rest, row, mapped, size: 0, flaw };
  };
}
