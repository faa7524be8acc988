import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { defaultLowCreditThreshold } from '../../../contract/areas/credits/endpoints.ts';
import { toMillionths } from '../../store/millionths.ts';

/** The reason of a change to a balance. */
export type LedgerReason =
  | 'starting_credits'
  | 'recharge'
  | 'transfer_in'
  | 'transfer_out'
  | 'sandbox_adjustment'
  | 'plan_change'
  | 'plan_renewal'
  | 'message'
  | 'template'
  | 'ai_reply'
  | 'agent_optimize'
  | 'agent_tags'
  | 'knowledge_import'
  | 'summary'
  | 'refund'
  | 'channel_charge';

const spending: ReadonlySet<LedgerReason> = new Set([
  'message',
  'template',
  'ai_reply',
  'agent_optimize',
  'agent_tags',
  'knowledge_import',
  'summary',
  'refund',
  'channel_charge',
]);

/** Whether a change is an adjustment: neither spending nor a refund. */
export function isAdjustment(reason: LedgerReason): boolean {
  return !spending.has(reason);
}

/** The default threshold for `Low Credit Balance`, in millionths. Accounts can set another one. */
const defaultLowThreshold = toMillionths(defaultLowCreditThreshold);

/** The maximum balance, in millionths. Larger sums would not be exact. */
export const balanceMax = 9e15;

/** The balance of a new account, in credits. */
export const startingCredits = 1_000;

/** The amount of an automatic recharge, in credits. */
export const rechargeCredits = 1_000;

/** The charge for a connected chatapp-web number every 30 days, in credits. */
export const channelCharge = 50;

/** The price of an agent's reply, on any channel (rule credits.31), in millionths. */
export const aiReplyCost = toMillionths(1);

/** The prices of an agent's runs, in millionths. */
export const runCosts = { agent_optimize: toMillionths(5), agent_tags: toMillionths(2) } as const;

/** The price of a summary of a conversation, in millionths. */
export const summaryCost = toMillionths(1);

/** The channels on which messages are free. */
const freeChannels: ReadonlySet<ChannelName> = new Set(['email', 'chat_widget', 'custom_channel']);

/** The price of sending a message on a channel, in millionths. */
export function messageCost(channel: ChannelName): number {
  return freeChannels.has(channel) ? 0 : toMillionths(1);
}

/**
 * Whether a change makes the balance fall below the threshold. False when it was already below.
 * @param threshold null for the default; all three values are in millionths
 */
export function crossesBelow(before: number, after: number, threshold: number | null): boolean {
  return !isBelowThreshold(before, threshold) && isBelowThreshold(after, threshold);
}

/** Whether a balance is low. @param threshold null for the default */
export function isBelowThreshold(millionths: number, threshold: number | null): boolean {
  return millionths < (threshold ?? defaultLowThreshold);
}

/** The start of the UTC month of an instant, in epoch milliseconds. */
export function monthStart(instant: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
