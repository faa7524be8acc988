import { rangeCaps } from '../../contract/areas/analytics/names.ts';
import type { Days } from '../verb/days.ts';
import { dayAfter } from './ranges.ts';

// A request for the ledger takes a limited number of days. A longer range is read in windows, the newest first, as its records are.

/** The newest window of a range. @param first the first day of the range */
export function windowTo(to: string, first: string): Days {
  const earliest = dayAfter(to, 1 - rangeCaps.ledger);
  const from = first > earliest ? first : earliest;
  return { from: from > to ? to : from, to };
}

/** The window before another; null if nothing is left to read. */
export function windowBefore({ from }: Days, first: string): Days | null {
  return from <= first ? null : windowTo(dayAfter(from, -1), first);
}

/** All windows of a range. */
export function windowsOf({ from, to }: Days): Days[] {
  const windows: Days[] = [];
  for (let window: Days | null = windowTo(to, from); window; window = windowBefore(window, from)) windows.push(window);
  return windows;
}
