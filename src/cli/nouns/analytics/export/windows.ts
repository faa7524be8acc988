import { rangeCaps } from '../../../../contract/areas/analytics/names.ts';
import type { Days } from '../days.ts';
import { dayAfter } from '../ranges.ts';

/** The longest range for one request of the ledger that ends on a given day. @param first the first day to read */
export function windowTo(to: string, first: string): Days {
  const earliest = dayAfter(to, 1 - rangeCaps.ledger);
  const from = first > earliest ? first : earliest;
  return { from: from > to ? to : from, to };
}

/** The range of days before another; null if nothing is left to read. */
export function windowBefore({ from }: Days, first: string): Days | null {
  return from <= first ? null : windowTo(dayAfter(from, -1), first);
}
