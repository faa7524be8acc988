import { dayLength } from '../../contract/time/days.ts';
import { parseInstant } from '../../contract/time/instants.ts';
import { invalidField } from '../errors.ts';

/**
 * Reads the first and the last instant of a filter by time, in epoch milliseconds. Both are included, and a day is whole.
 * @throws ApiError 400 when `from` is after `to`
 */
export function readPeriod({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  const first = from === undefined ? undefined : parseInstant(from);
  const last = to === undefined ? undefined : (parseInstant(to) as number) + (to.includes('T') ? 0 : dayLength - 1);
  if (first !== undefined && last !== undefined && first > last) throw invalidField('from', 'must not be after to');
  return { first, last };
}
