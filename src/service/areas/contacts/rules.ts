import { type ChannelName, channelNames, numberChannels } from '../../../contract/areas/channels/names.ts';
import { limits } from '../../../contract/limits.ts';
import { fold } from '../../../contract/fold.ts';
import type { PhoneNumber } from './phone-numbers.ts';
import type { Contact } from './table.ts';

/** The address of a contact on a channel: a phone number, or an account on the channel. */
export type Address = PhoneNumber | { readonly identity: string };

/** The key of a contact: one contact for each number, and for each account on a channel (rules contacts.4, contacts.5). */
export function identityKey(channel: ChannelName, address: Address): string {
  return 'number' in address ? address.number : `${channel}:${address.identity}`;
}

/** Whether a contact can be reached on a channel. A number is reached on every channel with numbers, an account only on its own channel. */
export function isReachable(contact: Pick<Contact, 'channel' | 'phone_number'>, channel: ChannelName): boolean {
  return numberChannels.has(channel) ? contact.phone_number !== null : contact.channel === channel;
}

type Searched = Pick<Contact, 'phone_number' | 'identity' | 'first_name' | 'last_name' | 'email' | 'company'>;

/** The text that a search matches. Each field is on its own line, so that no match spans two fields. */
export function searchText({ phone_number, identity, first_name, last_name, email, company }: Searched): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return fold([name, phone_number, identity, email, company].flatMap((field) => (field ? [onOneLine(field)] : [])).join('\n'));
}

/** The text that a search looks for. */
export function searchedText(search: string): string {
  return fold(onOneLine(search));
}

function onOneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

/** A row of an import: a contact to be created, or the reason to skip it. */
type ImportRow =
  | {
      readonly phone: PhoneNumber;
      readonly channel: ChannelName;
      readonly firstName: string | null;
      readonly lastName: string | null;
    }
  | { readonly reason: string };

/**
 * Reads a row of an import (rules contacts.42, contacts.43).
 * @param defaultChannel the channel of rows without one
 */
export function readImportRow(row: unknown, defaultChannel: string, readNumber: (text: string) => PhoneNumber | undefined): ImportRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { reason: 'is not an object' };
  const { phone_number: number, first_name: firstName, last_name: lastName, channel = defaultChannel } = row as Record<string, unknown>;
  if (number === undefined || number === null || number === '') return { reason: 'phone_number is missing' };
  const phone = typeof number === 'string' ? readNumber(number) : undefined;
  if (!phone) return { reason: 'phone_number is not a number in international format, such as +14155550100' };
  const supported = channelNames.find((name) => name === channel && numberChannels.has(name));
  if (!supported) return { reason: `channel is not supported; use one of ${[...numberChannels].join(', ')}` };
  if (!isName(firstName)) return { reason: 'first_name is not a text of at most 200 characters' };
  if (!isName(lastName)) return { reason: 'last_name is not a text of at most 200 characters' };
  return { phone, channel: supported, firstName: firstName ?? null, lastName: lastName ?? null };
}

function isName(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || (typeof value === 'string' && value.length <= limits.nameLength && !value.includes('\0'));
}
