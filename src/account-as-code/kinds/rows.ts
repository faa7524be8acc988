import { RefusedCall } from '../../contract/call.ts';
import type { AnswerRow } from '../kind.ts';
import type { Fields } from '../values.ts';

/** The managed fields of a row, without nulls. @param names the fields to take */
export function fieldsOfRow(row: AnswerRow, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => row[name] !== null && row[name] !== undefined).map((name) => [name, row[name]]));
}

/** Sorts a list and removes duplicates, for lists whose order is not significant. */
export function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value as string[])].sort() : value;
}

/** Turns a 404 error into undefined, for use with `catch`. @throws any other error */
export function noneAt404(error: unknown): undefined {
  if (error instanceof RefusedCall && error.status === 404) return undefined;
  throw error;
}
