import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { ApiError, invalidField } from '../../errors.ts';
import { isReachable } from '../contacts/rules.ts';
import type { Contact } from '../contacts/table.ts';

/**
 * Checks whether a contact can be sent a message on a channel. Returns the error, or undefined. Does not check credits.
 * @param ownIdentity the account's own number or identity to send from; null when the channel is not connected
 */
export function recipientError(contact: Contact, channel: ChannelName, ownIdentity: string | null): ApiError | undefined {
  if (contact.do_not_disturb) return new ApiError(422, 'The contact has do-not-disturb turned on', { reason: 'do_not_disturb' });
  if (contact.private_mode) return new ApiError(422, 'The contact is in private mode');
  if (!isReachable(contact, channel)) return invalidField('channel', `the contact cannot be reached on ${channel}`);
  if (ownIdentity === null) return invalidField('channel', `${channel} is not connected`, { reason: 'channel_not_connected', channel });
  return undefined;
}

/** How long after their own last message contacts can be sent free text on chatapp, in milliseconds (rule messages.18). */
export const conversationWindow = 24 * 3_600_000;

/** The error for free text to a contact outside the conversation window. */
export function outsideWindow(): ApiError {
  const message = 'The contact has not written on chatapp within 24 hours: send a template';
  return new ApiError(400, message, { reason: 'outside_window' });
}
