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
 * @param country the country of numbers without a plus sign, if any
 * @throws ApiError 400 when the field that the channel requires is missing or invalid
 */
export async function readAddress(
  { channel = 'chatapp', phone_number: number, identity }: Named,
  field?: string,
  country: string | null = null,
): Promise<Address> {
  if (!numberChannels.has(channel)) {
    if (identity === undefined) throw invalidField('identity', `is required on ${channel}`, { reason: 'missing_field' });
    return { identity };
  }
  if (number === undefined) throw invalidField('phone_number', `is required on ${channel}`, { reason: 'missing_field' });
  return await readNumber(number, field, country);
}

/**
 * Reads a phone number.
 * @param country the country of a number without a plus sign; null when it needs one
 * @throws ApiError 400 when the text is not a phone number
 */
export async function readNumber(text: string, field = 'phone_number', country: string | null = null): Promise<PhoneNumber> {
  // Loads the library of numbering plans on first use, because most commands do not need it.
  const { readNationalNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  const phone = readNationalNumber(text, country);
  if (!phone) throw invalidField(field, numberFlaw(text, 'must be'));
  return phone;
}

/** Reads the phone number in a path, where the plus sign may be missing. @throws ApiError 400 when it is not a phone number */
export async function readNumberInPath(text: string): Promise<PhoneNumber> {
  return await readNumber(`+${text.trim().replace(/^\+/, '')}`);
}
