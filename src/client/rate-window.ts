import { limits } from '../contract/limits.ts';

const windowLength = limits.rateWindowSeconds * 1000;

/** The window of a key's rate limit, as reported in the headers of answers. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** In epoch milliseconds. */
  readonly resetsAt: number;
}

/**
 * Reads the rate limit window from an answer. @param headers with their names in lower case @returns null when the headers report
 * no window
 */
export function readWindow(headers: Readonly<Record<string, string>>, now: number): RateWindow | null {
  const [limit, remaining, seconds] = ['limit', 'remaining', 'reset'].map((name) => Number(headers[`ratelimit-${name}`]));
  if (!Number.isFinite(seconds) || !limit || remaining === undefined || Number.isNaN(remaining)) return null;
  return { limit, remaining, resetsAt: now + (seconds as number) * 1000 };
}

/** The window that follows one that is used up. */
export function nextWindow({ limit, resetsAt }: RateWindow, now: number): RateWindow {
  return { limit, remaining: limit, resetsAt: Math.max(resetsAt, now) + windowLength };
}

/** The minimum time that requests wait when they are sent as fast as the limit allows, in milliseconds. */
export function waitOf(requests: number, window: RateWindow | null, now: number): number {
  if (!window) return 0;
  const { limit, remaining, resetsAt } = now < window.resetsAt ? window : nextWindow(window, now);
  if (requests <= remaining) return 0;
  return resetsAt - now + (Math.ceil((requests - remaining) / limit) - 1) * windowLength;
}
