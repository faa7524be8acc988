import type { Answer, Endpoint } from '../../contract/endpoint.ts';
import type { Lookup } from './noun.ts';

/** The fields of the answer that hold rows. */
type RowsOf<E extends Endpoint> = {
  [Name in keyof Answer<E> & string]: Answer<E>[Name] extends readonly object[] ? Name : never;
}[keyof Answer<E> & string];

type FieldOf<Rows> = Rows extends readonly (infer Item)[] ? keyof Item & string : never;

/**
 * Defines where the shell looks up values to complete.
 * @param rows the field of the answer that holds the rows
 * @param label the field shown as the description of a candidate
 * @param value the field that is completed
 */
export function lookup<const E extends Endpoint, Rows extends RowsOf<E>>(
  endpoint: E,
  rows: Rows,
  label: FieldOf<Answer<E>[Rows]>,
  value: FieldOf<Answer<E>[Rows]> = 'id' as FieldOf<Answer<E>[Rows]>,
): Lookup {
  return { endpoint, rows, label, value };
}
