import type { ChannelName } from '../channels/names.ts';
import type { PhoneNumber } from './phone-numbers.ts';

/** The address of a contact on a channel: a phone number, or an account on the channel. */
export type Address = PhoneNumber | { readonly identity: string };

/** The key of a contact: one contact for each number, and for each account on a channel (rules contacts.4, contacts.5). */
export function identityKey(channel: ChannelName, address: Address): string {
  return 'number' in address ? address.number : `${channel}:${address.identity}`;
}
