import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { MessageStatus } from '../../../contract/areas/messages/endpoints.ts';
import type { receiptStatuses } from '../../../contract/areas/sandbox/endpoints.ts';
import type { Contact } from '../contacts/records.ts';
import { isReachable } from '../contacts/rules.ts';
import { ApiError } from '../../errors.ts';

/** Why a contact cannot be written to on a channel, credits apart; null when it can. */
export function checkRecipient(contact: Contact, channel: ChannelName, ownIdentity: string | null): ApiError | null {
  if (contact.do_not_disturb === 1) return new ApiError(422, 'The contact is not to be disturbed: do-not-disturb is on');
  if (contact.private_mode === 1) return new ApiError(422, 'The contact is in private mode');
  if (!isReachable(contact, channel)) return new ApiError(400, `channel: the contact cannot be reached on ${channel}`);
  if (ownIdentity === null) return new ApiError(400, `channel: no ${channel} channel is connected`);
  return null;
}

/** What a delivery report says. */
export type Receipt = (typeof receiptStatuses)[number];

/**
 * What a delivery report makes of a message: the steps that it goes through, none when it is that far already; null when
 * it cannot be, as with a message that the contact sent, or one that failed or arrived.
 */
export function stepsOf(status: MessageStatus, receipt: Receipt): readonly Receipt[] | null {
  switch (status) {
    case 'queued':
    case 'sent':
      // What is read was delivered (ruling, Analytics).
      return receipt === 'read' ? ['delivered', 'read'] : [receipt];
    case 'delivered':
      return receipt === 'failed' ? null : receipt === 'read' ? ['read'] : [];
    case 'read':
      return receipt === 'failed' ? null : [];
    case 'failed':
      return receipt === 'failed' ? [] : null;
    case 'received':
      return null;
  }
}
