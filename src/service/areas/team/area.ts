import { teamHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** The team. */
export const teamArea = {
  handlers: teamHandlers,
} satisfies Area;
