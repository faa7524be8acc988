import type { ChannelName } from '../channels/names.ts';
import type { PhoneNumber } from './phone-numbers.ts';

/** The address of a contact on a channel: a phone number, or an account on the channel. */
export type Address = PhoneNumber | { readonly identity: string };

/** The key of a new contact: one contact for each number, and for each account on a channel (rules contacts.4, contacts.5). */
export function identityKey(channel: ChannelName, address: Address): string {
  return 'number' in address ? address.number : `${channel}:${address.identity}`;
}

/**
 * The keys under which a contact may be stored, in the order in which they are looked for. An older one can have a number in a form
 * that its country no longer uses.
 */
export function identityKeys(channel: ChannelName, address: Address): readonly string[] {
  return 'number' in address ? address.spellings : [identityKey(channel, address)];
}
