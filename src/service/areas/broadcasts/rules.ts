import type { BroadcastStatus } from '../../../contract/areas/broadcasts/endpoints.ts';

export type BroadcastStep = 'submit' | 'approve' | 'pause' | 'resume' | 'cancel';

/**
 * What a step makes of a broadcast (5/B, Broadcasts); null when it cannot be taken.
 * @param isLater whether it is scheduled for later than now
 */
export function nextStatus(status: BroadcastStatus, step: BroadcastStep, isLater: boolean): BroadcastStatus | null {
  switch (step) {
    case 'submit':
      return status === 'Draft' ? 'Pending Approval' : null;
    case 'approve':
      return status !== 'Pending Approval' ? null : isLater ? 'Scheduled' : 'Sending';
    case 'pause':
      return status === 'Sending' ? 'Paused' : null;
    case 'resume':
      return status === 'Paused' ? 'Sending' : null;
    case 'cancel':
      return status === 'Pending Approval' || status === 'Scheduled' ? 'Draft' : null;
  }
}

/** How a broadcast ends that went to everyone: failed when every message did. */
export function endStatus(total: number, failed: number): BroadcastStatus {
  return total > 0 && failed === total ? 'Failed' : 'Sent';
}
