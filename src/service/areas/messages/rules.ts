import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { ApiError } from '../../errors.ts';
import { isReachable } from '../contacts/rules.ts';
import type { Contact } from '../contacts/table.ts';

/**
 * Checks whether a contact can be sent a message on a channel. Returns the error, or undefined. Does not check credits.
 * @param ownIdentity the account's own number or identity to send from; null when the channel is not connected
 */
export function recipientError(contact: Contact, channel: ChannelName, ownIdentity: string | null): ApiError | undefined {
  if (contact.do_not_disturb) return new ApiError(422, 'The contact has do-not-disturb turned on');
  if (contact.private_mode) return new ApiError(422, 'The contact is in private mode');
  if (!isReachable(contact, channel)) return new ApiError(400, `channel: the contact cannot be reached on ${channel}`);
  if (ownIdentity === null) return new ApiError(400, `channel: ${channel} is not connected`);
  return undefined;
}
