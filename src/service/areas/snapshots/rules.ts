import type { ApplyState } from '../../../contract/areas/snapshots/endpoints.ts';

/** Whether applying a snapshot to an account is over. */
export function isEnded(status: ApplyState): boolean {
  return status === 'completed' || status === 'failed';
}

/** The state of applying a snapshot to several accounts, by that of each (rule snapshots.6). It failed when it failed on all of them. */
export function stateOfAll(states: readonly ApplyState[]): ApplyState {
  if (states.every((state) => state === 'failed')) return 'failed';
  if (states.every(isEnded)) return 'completed';
  return states.every((state) => state === 'queued') ? 'queued' : 'processing';
}
