import { broadcastHandlers } from './handlers.ts';
import { broadcastFailpoints, broadcastSending } from './sending.ts';
import type { Area } from '../../area.ts';

/** Broadcasts. */
export const broadcastArea = {
  handlers: broadcastHandlers,
  jobs: { broadcast: broadcastSending },
  failpoints: broadcastFailpoints,
  rows: [{ table: 'broadcasts', dependents: [{ table: 'broadcast_recipients', column: 'broadcast_id' }] }],
} satisfies Area;
