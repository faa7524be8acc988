import type { AreaHandlers } from '../../http/handler.ts';
import { notificationStream } from './stream.ts';
import { countUnread, listNotifications, markAllRead, markRead, notificationRecords } from './records.ts';

export const notificationHandlers: AreaHandlers<'notifications'> = {
  'notifications.stream': { streams: notificationStream },

  'notifications.list': async ({ db, account, query: { kind, unread }, page }) => {
    const { rows, next_cursor } = await page((before, limit) => listNotifications(db, account.id, { kind, unread }, { before, limit }));
    return {
      notifications: await notificationRecords(db, account.id, rows),
      unread_count: await countUnread(db, account.id),
      next_cursor,
    };
  },

  'notifications.read': async ({ db, account, params, now }) => {
    const [notification] = await notificationRecords(db, account.id, [await markRead(db, account.id, params.id, now)]);
    return { notification: notification as NonNullable<typeof notification> };
  },

  'notifications.readAll': async ({ db, account, now }) => ({ read: await markAllRead(db, account.id, now) }),
};
