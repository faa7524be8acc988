import { analyticsHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Reports. */
export const analyticsArea = {
  handlers: analyticsHandlers,
} satisfies Area;
