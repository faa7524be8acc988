import { trimmingNotices } from '../notices/trimming.ts';
import { notificationHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** What the account is told. */
export const notificationArea = {
  handlers: notificationHandlers,
  rows: [{ table: 'notifications' }],
  trimming: (retention) => trimmingNotices('notifications', 'created_at', retention),
} satisfies Area;
