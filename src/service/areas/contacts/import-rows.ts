import * as z from 'zod';
import type { importSkips } from '../../../contract/areas/contacts/endpoints.ts';
import { type ChannelName, channelNames, numberChannels } from '../../../contract/areas/channels/names.ts';
import { email, identity, name, text } from '../../../contract/fields.ts';
import { limits } from '../../../contract/limits.ts';
import type { PhoneNumber } from './phone-numbers.ts';
import type { Address } from './rules.ts';
import type { Contact } from './table.ts';

/** The maximum number of tags of a row. */
const maxTags = 100;

/** A contact in an import. Fields that the row does not have are undefined. */
export interface ImportedContact {
  readonly channel: ChannelName;
  readonly address: Address;
  readonly fields: Partial<
    Pick<Contact, 'first_name' | 'last_name' | 'email' | 'company' | 'do_not_disturb' | 'private_mode' | 'archived'>
  >;
  /** The names of its tags. */
  readonly tags: readonly string[];
}

/** Why a row is skipped. */
export interface SkippedRow {
  readonly code: (typeof importSkips)[number];
  readonly reason: string;
}

/** The fields of a row beside its address and channel, with what they must be. */
const otherFields = {
  first_name: [text(limits.nameLength), `a text of at most ${limits.nameLength} characters`],
  last_name: [text(limits.nameLength), `a text of at most ${limits.nameLength} characters`],
  email: [email(), 'an email address'],
  company: [text(limits.nameLength), `a text of at most ${limits.nameLength} characters`],
  do_not_disturb: [z.boolean(), 'true or false'],
  private_mode: [z.boolean(), 'true or false'],
  archived: [z.boolean(), 'true or false'],
} as const;

const tagNames = z.array(name()).max(maxTags);

/**
 * Reads a row of an import (rules contacts.40, contacts.42, contacts.43). Fields with null count as missing.
 * @param defaultChannel the channel of rows without one
 */
export function readImportRow(
  row: unknown,
  defaultChannel: string,
  readNumber: (text: string) => PhoneNumber | undefined,
): ImportedContact | SkippedRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return invalid('is not an object');
  const given = row as Readonly<Record<string, unknown>>;
  const addressed = readAddressFields(given, defaultChannel, readNumber);
  if ('reason' in addressed) return addressed;
  const fields: Record<string, unknown> = {};
  for (const [field, [schema, what]] of Object.entries(otherFields)) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    const read = schema.safeParse(value);
    if (!read.success) return invalid(`${field} is not ${what}`);
    fields[field] = read.data;
  }
  const tags = tagNames.safeParse(given.tags ?? []);
  if (!tags.success) return invalid(`tags is not a list of at most ${maxTags} names of tags`);
  return { ...addressed, fields: fields, tags: tags.data };
}

function readAddressFields(
  { phone_number: number, identity: accountName, channel: givenChannel }: Readonly<Record<string, unknown>>,
  defaultChannel: string,
  readNumber: (text: string) => PhoneNumber | undefined,
): Pick<ImportedContact, 'channel' | 'address'> | SkippedRow {
  const channel = channelNames.find((each) => each === (givenChannel ?? defaultChannel));
  const isMissing = (value: unknown) => value === undefined || value === null || value === '';
  if (channel && !numberChannels.has(channel) && !isMissing(accountName)) {
    const read = identity().safeParse(accountName);
    return read.success ? { channel, address: { identity: read.data } } : invalid('identity is not the name of an account on the channel');
  }
  if (isMissing(number)) return { code: 'invalid_number', reason: 'phone_number is missing' };
  const phone = typeof number === 'string' ? readNumber(number) : undefined;
  if (!phone) return { code: 'invalid_number', reason: 'phone_number is not a number in international format, such as +14155550100' };
  if (channel && numberChannels.has(channel)) return { channel, address: phone };
  const reason = `channel is not supported; use one of ${[...numberChannels].join(', ')}, or another channel with identity`;
  return { code: 'unsupported_channel', reason };
}

function invalid(reason: string): SkippedRow {
  return { code: 'invalid_row', reason };
}
