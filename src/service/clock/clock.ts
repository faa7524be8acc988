import type { ServiceStateTable } from '../store/schema.ts';

/** The part of the service's state that tells the time. */
export type ClockState = Pick<ServiceStateTable, 'clock_frozen' | 'clock_reading' | 'clock_offset'>;

/** Reads the service's clock, in epoch milliseconds. */
export function readClock(state: ClockState, realNow: number): number {
  return state.clock_frozen === 1 ? state.clock_reading : realNow + state.clock_offset;
}

/** A clock that stands at an instant. */
export function frozenAt(instant: number): ClockState {
  return { clock_frozen: 1, clock_reading: instant, clock_offset: 0 };
}

/** A clock that runs on from an instant. */
export function runningFrom(instant: number, realNow: number): ClockState {
  return { clock_frozen: 0, clock_reading: 0, clock_offset: instant - realNow };
}

/** The last instant that ISO 8601 writes with four digits for the year: no clock goes beyond it. */
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant as answers show it. */
export function iso(instant: number): string;
export function iso(instant: number | null): string | null;
export function iso(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
