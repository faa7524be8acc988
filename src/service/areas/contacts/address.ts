import { type ChannelName, numberChannels } from '../../../contract/areas/channels/names.ts';
import type { Address } from '../../../contract/areas/contacts/address.ts';
import type { PhoneNumber } from '../../../contract/areas/contacts/phone-numbers.ts';
import { numberFlaw } from '../../../contract/areas/contacts/phone-text.ts';
import { invalidField } from '../../errors.ts';

/** The fields of a request that identify a contact. */
interface Named {
  readonly channel?: ChannelName | undefined;
  readonly phone_number?: string | undefined;
  readonly identity?: string | undefined;
}

/**
 * Reads the address of a contact.
 * @param field the name of the field in errors, when a request has one field for both numbers and identities
 * @throws ApiError 400 when the field that the channel requires is missing or invalid
 */
export async function readAddress({ channel = 'chatapp', phone_number: number, identity }: Named, field?: string): Promise<Address> {
  if (!numberChannels.has(channel)) {
    if (identity === undefined) throw invalidField('identity', `is required on ${channel}`, { reason: 'missing_field' });
    return { identity };
  }
  if (number === undefined) throw invalidField('phone_number', `is required on ${channel}`, { reason: 'missing_field' });
  return await readNumber(number, field);
}

/** Reads a phone number. @throws ApiError 400 when the text is not a phone number */
export async function readNumber(text: string, field = 'phone_number'): Promise<PhoneNumber> {
  // Loads the library of numbering plans on first use, because most commands do not need it.
  const { readPhoneNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  const phone = readPhoneNumber(text);
  if (!phone) throw invalidField(field, numberFlaw(text, 'must be'));
  return phone;
}

/** Reads the phone number in a path, where the plus sign may be missing. @throws ApiError 400 when it is not a phone number */
export async function readNumberInPath(text: string): Promise<PhoneNumber> {
  return await readNumber(`+${text.trim().replace(/^\+/, '')}`);
}
