import { creditHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Credits. */
export const creditArea = {
  handlers: creditHandlers,
} satisfies Area;
