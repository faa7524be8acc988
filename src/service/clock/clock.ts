import type { ServiceState } from './table.ts';

/** The part of the service's state that determines its clock. */
type ClockState = Pick<ServiceState, 'clock_frozen' | 'clock_reading' | 'clock_offset'>;

/** Reads the service's clock, in epoch milliseconds. @param realNow real time, in epoch milliseconds */
export function readClock(state: ClockState, realNow: number): number {
  return state.clock_frozen ? state.clock_reading : realNow + state.clock_offset;
}

/** A clock that is frozen at an instant. */
export function frozenAt(instant: number): ClockState {
  return { clock_frozen: true, clock_reading: instant, clock_offset: 0 };
}

/** A clock that runs from an instant. */
export function runningFrom(instant: number, realNow: number): ClockState {
  return { clock_frozen: false, clock_reading: 0, clock_offset: instant - realNow };
}
