import type { AreaHandlers } from '../core/context.ts';
import { channelRecord, listChannels } from './records.ts';

export const channelHandlers: AreaHandlers<'channels'> = {
  'channels.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => listChannels(db, account.id, before, take));
    return { channels: rows.map(channelRecord), next_cursor };
  },
};
