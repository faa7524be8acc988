import { type ChannelName, channelNames, numberChannels } from '../../../contract/areas/channels/names.ts';
import { limits } from '../../../contract/limits.ts';
import type { ContactsTable } from '../../store/schema.ts';
import { fold } from '../../../contract/fold.ts';
import type { PhoneNumber } from './phone-numbers.ts';

/** Where a contact is reached on a channel: by a number, or by an account on it. */
export type Address = PhoneNumber | { readonly identity: string };

/** What there is one contact of (Document 4, Contacts and sends): a number, or an account on a channel. */
export function identityKey(channel: ChannelName, address: Address): string {
  return 'number' in address ? address.number : `${channel}:${address.identity}`;
}

/** Whether a contact can be written to on a channel: numbers on those that have numbers, an account on its own. */
export function isReachable(contact: Pick<ContactsTable, 'channel' | 'phone_number'>, channel: ChannelName): boolean {
  return numberChannels.has(channel) ? contact.phone_number !== null : contact.channel === channel;
}

type Searched = Pick<ContactsTable, 'phone_number' | 'identity' | 'first_name' | 'last_name' | 'email' | 'company'>;

/** All that a search looks in; the fields are kept apart, so that nothing is found across two of them. */
export function searchText({ phone_number, identity, first_name, last_name, email, company }: Searched): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return fold([name, phone_number, identity, email, company].filter(Boolean).join('\n'));
}

/** A row of an import that can be a contact, or why it cannot. */
export type ImportRow =
  | {
      readonly phone: PhoneNumber;
      readonly channel: ChannelName;
      readonly firstName: string | null;
      readonly lastName: string | null;
    }
  | { readonly reason: string };

/**
 * Reads a row of an import (3/Contacts: bad numbers and unsupported channels are reasons to leave it out).
 * @param defaultChannel of rows that name none
 */
export function readImportRow(row: unknown, defaultChannel: string, readNumber: (text: string) => PhoneNumber | null): ImportRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { reason: 'is not an object' };
  const { phone_number: number, first_name: firstName, last_name: lastName, channel = defaultChannel } = row as Record<string, unknown>;
  if (number === undefined || number === null || number === '') return { reason: 'phone_number is missing' };
  const phone = typeof number === 'string' ? readNumber(number) : null;
  if (!phone) return { reason: 'phone_number is not a number in international format, such as +14155550100' };
  const supported = channelNames.find((name) => name === channel && numberChannels.has(name));
  if (!supported) return { reason: `channel is not supported: an import takes ${[...numberChannels].join(', ')}` };
  if (!isName(firstName)) return { reason: 'first_name is not a text of at most 200 characters' };
  if (!isName(lastName)) return { reason: 'last_name is not a text of at most 200 characters' };
  return { phone, channel: supported, firstName: firstName ?? null, lastName: lastName ?? null };
}

function isName(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || (typeof value === 'string' && value.length <= limits.nameLength && !value.includes('\0'));
}
