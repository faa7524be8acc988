import { chargeChannel } from './charge.ts';
import { channelHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Channels and what they cost. */
export const channelArea = {
  handlers: channelHandlers,
  jobs: { channel_charge: chargeChannel },
} satisfies Area;
