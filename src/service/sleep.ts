import { setTimeout } from 'node:timers/promises';

/** Waits, in real milliseconds. It throws when the signal cuts it off. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

export const sleep: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal });
