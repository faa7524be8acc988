import type { BroadcastStatus } from '../../../contract/areas/broadcasts/endpoints.ts';

/** An action that changes the status of a broadcast. */
export type BroadcastStep = 'submit' | 'approve' | 'pause' | 'resume' | 'cancel';

/**
 * The status after a step (rules broadcasts.9, broadcasts.10); undefined when the step is not allowed.
 * @param isLater whether the broadcast is scheduled for the future
 */
export function nextStatus(status: BroadcastStatus, step: BroadcastStep, isLater: boolean): BroadcastStatus | undefined {
  switch (step) {
    case 'submit':
      return status === 'Draft' ? 'Pending Approval' : undefined;
    case 'approve':
      return status !== 'Pending Approval' ? undefined : isLater ? 'Scheduled' : 'Sending';
    case 'pause':
      return status === 'Sending' ? 'Paused' : undefined;
    case 'resume':
      return status === 'Paused' ? 'Sending' : undefined;
    case 'cancel':
      return status === 'Pending Approval' || status === 'Scheduled' ? 'Draft' : undefined;
  }
}

/** The final status of a broadcast: `Failed` when every message failed. */
export function endStatus(total: number, failed: number): BroadcastStatus {
  return total > 0 && failed === total ? 'Failed' : 'Sent';
}
