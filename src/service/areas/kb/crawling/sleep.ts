import { setTimeout } from 'node:timers/promises';

/** Waits, in real milliseconds. Throws when the signal is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** Waits in real time. */
export const sleep: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal });
