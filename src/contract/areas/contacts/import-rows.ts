import * as z from 'zod';
import { email, identity, name, text } from '../../fields.ts';
import { digits } from '../../text/counted.ts';
import { fold } from '../../text/fold.ts';
import { limits } from '../../limits.ts';
import { type ChannelName, channelNames, numberChannels } from '../channels/names.ts';
import type { Address } from './address.ts';
import type { importSkips } from './endpoints.ts';
import type { PhoneNumber } from './phone-numbers.ts';
import { numberFlaw } from './phone-text.ts';

/** The fields of a contact that an import sets, besides its address. */
interface ImportedFields {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly company: string;
  readonly do_not_disturb: boolean;
  readonly private_mode: boolean;
  readonly archived: boolean;
}

/** An imported contact. Fields that are missing from the row are undefined. */
export interface ImportedContact {
  readonly channel: ChannelName;
  readonly address: Address;
  readonly fields: Partial<ImportedFields>;
  /** Its tags by their folded names, with the names. */
  readonly tags: ReadonlyMap<string, string>;
}

/** Why a row is skipped. */
export interface SkippedRow {
  readonly code: (typeof importSkips)[number];
  readonly reason: string;
}

type OtherField = readonly [field: string, schema: z.ZodType, what: string];

let otherFields: readonly OtherField[] | undefined;

/**
 * The fields of a row besides its address and channel, each with its schema and a description for errors. Created on first use,
 * like all schemas.
 */
function fieldsOfRows(): readonly OtherField[] {
  const shortText = (field: string) => [field, text(limits.nameLength), `a text of at most ${limits.nameLength} characters`] as const;
  const flag = (field: string) => [field, z.boolean(), 'true or false'] as const;
  return (otherFields ??= [
    shortText('first_name'),
    shortText('last_name'),
    ['email', email(), 'an email address'],
    shortText('company'),
    flag('do_not_disturb'),
    flag('private_mode'),
    flag('archived'),
    ['tags', z.array(name()), 'a list of names of tags'],
  ]);
}

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
  const read: Record<string, unknown> = {};
  for (const [field, schema, what] of fieldsOfRows()) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    const { success, data } = schema.safeParse(value);
    if (!success) return invalid(`${field} is not ${what}`);
    read[field] = data;
  }
  const { tags: names = [], ...fields } = read as ImportedContact['fields'] & { tags?: string[] };
  const tags = new Map<string, string>();
  for (const name of names) tags.set(fold(name), tags.get(fold(name)) ?? name);
  return tags.size > limits.contactTags ? tooManyTags(tags.size) : { ...addressed, fields, tags };
}

/** The reason for skipping a row when an earlier row has the same number or account. */
export function repeatedRow(address: Address): SkippedRow {
  return { code: 'duplicate', reason: `an earlier row has the same ${nameOf(address)}` };
}

/** The reason for skipping a row when a contact with its number or account already exists. */
export function duplicateRow(address: Address): SkippedRow {
  return { code: 'duplicate', reason: `a contact with this ${nameOf(address)} already exists` };
}

/** The reason for skipping a row with which its contact would have too many tags. @param count how many it would have */
export function tooManyTags(count: number): SkippedRow {
  return { code: 'too_many', reason: `the contact would have ${digits(count)} tags: a contact has at most ${limits.contactTags} tags` };
}

/** The reason for skipping a row with which the rows of an import would have too many different tags. */
export function tooManyDifferentTags(): SkippedRow {
  return {
    code: 'too_many',
    reason: `the rows of an import have at most ${digits(limits.importTags)} different tags: import fewer rows at once`,
  };
}

function nameOf(address: Address): string {
  return 'number' in address ? 'phone number' : 'identity';
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
  const text = typeof number === 'string' ? number : '';
  const phone = readNumber(text);
  if (!phone) return { code: 'invalid_number', reason: `phone_number ${numberFlaw(text, 'is not')}` };
  if (channel && numberChannels.has(channel)) return { channel, address: phone };
  const reason = `channel is not supported; use one of ${[...numberChannels].join(', ')}, or another channel with identity`;
  return { code: 'unsupported_channel', reason };
}

function invalid(reason: string): SkippedRow {
  return { code: 'invalid_row', reason };
}
