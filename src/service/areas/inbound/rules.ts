import type { MessageStatus } from '../../../contract/areas/messages/endpoints.ts';
import type { receiptStatuses } from '../../../contract/areas/sandbox/endpoints.ts';

/** What a delivery report says of a message. */
export type Receipt = (typeof receiptStatuses)[number];

/**
 * The statuses that a message goes through after a delivery report: none when it is that far already, undefined when the
 * report cannot be, as for a message that the contact sent, or one that failed or arrived (rules messages.21, messages.22).
 */
export function stepsOf(status: MessageStatus, receipt: Receipt): readonly Receipt[] | undefined {
  switch (status) {
    case 'queued':
    case 'sent':
      // A message that is read was delivered.
      return receipt === 'read' ? ['delivered', 'read'] : [receipt];
    case 'delivered':
      return receipt === 'failed' ? undefined : receipt === 'read' ? ['read'] : [];
    case 'read':
      return receipt === 'failed' ? undefined : [];
    case 'failed':
      return receipt === 'failed' ? [] : undefined;
    case 'received':
      return undefined;
  }
}
