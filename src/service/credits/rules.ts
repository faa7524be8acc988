/** Credits are kept as integer millionths, so that sums are exact. */
export function toMillionths(credits: number): number {
  return Math.round(credits * 1e6);
}

export function toCredits(millionths: number): number {
  return millionths / 1e6;
}

/** The balance below which `Low Credit Balance` fires when the account sets none (ruling), in credits. */
export const defaultLowThreshold = 100;

/** The most that a balance can hold, in millionths: beyond it sums would no longer be exact. */
export const balanceMax = 9e15;

/** What a new account starts with (ruling), in credits. */
export const startingCredits = 1_000;

/** What an automatic recharge adds (ruling), in credits. */
export const rechargeCredits = 1_000;

/**
 * Whether a change of the balance crosses below the threshold: once each time, not while it stays below.
 * @param before and @param after in millionths
 * @param threshold in credits; null for the default
 */
export function crossesBelow(before: number, after: number, threshold: number | null): boolean {
  const limit = toMillionths(threshold ?? defaultLowThreshold);
  return before >= limit && after < limit;
}

/** When the UTC month of an instant began, in epoch milliseconds. */
export function monthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
