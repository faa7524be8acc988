import type { MessageStatus } from '../../../contract/areas/messages/endpoints.ts';
import type { receiptStatuses } from '../../../contract/areas/sandbox/conversations.ts';

/** The status that a delivery report gives a message. */
export type Receipt = (typeof receiptStatuses)[number];

/**
 * The statuses that a message passes through because of a delivery report. Empty when it already has the status. Undefined when
 * the report is not possible, such as for a message from the contact or a failed one (rules messages.21, messages.22).
 */
export function stepsOf(status: MessageStatus, receipt: Receipt): readonly Receipt[] | undefined {
  switch (status) {
    case 'queued':
    case 'sent':
      // A message that was read was also delivered.
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
