import type { BroadcastStatus } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { BroadcastCode } from '../../../contract/areas/errors/codes.ts';
import type { Reason } from '../../../contract/errors.ts';
import type { ApiError } from '../../errors.ts';
import type { NewNotification } from '../notices/notify.ts';
import type { Broadcast } from './table.ts';

/** An action that changes the status of a broadcast. */
export type BroadcastStep = 'submit' | 'approve' | 'pause' | 'resume' | 'cancel';

/** Whether a broadcast that is approved now starts later. */
export function isLater({ scheduled_at: start }: Pick<Broadcast, 'scheduled_at'>, now: number): boolean {
  return start !== null && start > now;
}

/**
 * The status after a step (rules broadcasts.9, broadcasts.10); undefined when the step is not allowed.
 * @param startsLater whether the broadcast is scheduled for the future
 */
export function nextStatus(status: BroadcastStatus, step: BroadcastStep, startsLater: boolean): BroadcastStatus | undefined {
  switch (step) {
    case 'submit':
      return status === 'Draft' ? 'Pending Approval' : undefined;
    case 'approve':
      return status !== 'Pending Approval' ? undefined : startsLater ? 'Scheduled' : 'Sending';
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

/** What the account is told when a broadcast ends. */
export function endNotification({ id, name, failed }: Pick<Broadcast, 'id' | 'name' | 'failed'>, status: BroadcastStatus): NewNotification {
  const entity = { type: 'broadcast', id } as const;
  if (status === 'Failed')
    return {
      kind: 'broadcast_failed',
      title: 'A broadcast failed',
      text: `No message of '${name}' was sent. The error log says why.`,
      entity,
    };
  const whom =
    failed === 0 ? 'was sent to all its recipients.' : `was sent, but not to ${failed} of its recipients. The error log says why.`;
  return { kind: 'broadcast_finished', title: 'A broadcast was sent', text: `'${name}' ${whom}`, entity };
}

const codeOfReason: Partial<Record<Reason, BroadcastCode>> = {
  channel_not_connected: 'channel_not_connected',
  do_not_disturb: 'recipient_dnd',
  missing_variables: 'missing_variable',
  outside_window: 'outside_window',
  template_not_approved: 'template_not_approved',
};

/** Why a recipient got no message, for the error log. */
export function codeOfRefusal({ status, details: { reason } }: ApiError): BroadcastCode {
  const known = reason && codeOfReason[reason];
  if (known) return known;
  if (status === 402) return 'insufficient_credits';
  return status === 422 ? 'private_mode' : 'not_reachable';
}
