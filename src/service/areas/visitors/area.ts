import { sql } from 'kysely';
import type { Area } from '../../area.ts';
import { trimming } from '../../maintenance/trimming.ts';
import { widgetFailpoints, widgetReply } from './reply.ts';
import { widgetRoutes } from './routes.ts';
import { tokenLifetime } from './tokens.ts';

/** The pages of widgets, and the visitors who write on them. */
export const visitorArea = {
  jobs: { widget_reply: widgetReply },
  failpoints: widgetFailpoints,
  publicRoutes: widgetRoutes,
  rows: [{ table: 'visitor_messages', key: ['visitor_id', 'client_id'] }, { table: 'visitors' }],
  trimming: () =>
    trimming({
      table: 'visitors',
      time: 'created_at',
      keep: tokenLifetime,
      unless: (before) => sql`used_at >= ${before}`,
    }),
} satisfies Area;
