import { setTimeout } from 'node:timers/promises';

/** Waits, in real milliseconds. It throws when the signal cuts it off. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** Waits in real time. */
export const sleep: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal });
