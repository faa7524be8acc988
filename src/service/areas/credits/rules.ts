import type { ChannelName } from '../../../contract/areas/channels/names.ts';

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

/** What a connected chatapp-web number costs at the end of every 30 days (ruling), in credits. */
export const channelCharge = 50;

/** The channels on which messages cost nothing (ruling). */
const freeChannels: ReadonlySet<ChannelName> = new Set(['email', 'chat_widget', 'custom_channel']);

/** What sending a message on a channel costs (ruling), in millionths. */
export function messageCost(channel: ChannelName): number {
  return freeChannels.has(channel) ? 0 : toMillionths(1);
}

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
