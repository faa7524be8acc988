import { linkHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Short links. */
export const linkArea = {
  handlers: linkHandlers,
  rows: [{ table: 'short_links' }],
} satisfies Area;
