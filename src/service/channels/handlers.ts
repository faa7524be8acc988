import type { AreaHandlers } from '../core/context.ts';
import { listChannels } from './records.ts';

export const channelHandlers: AreaHandlers<'channels'> = {
  'channels.list': async ({ db, account }) => ({ channels: await listChannels(db, account.id) }),
};
