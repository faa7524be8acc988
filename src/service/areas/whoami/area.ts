import { whoamiHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Who is asking. */
export const whoamiArea = {
  handlers: whoamiHandlers,
} satisfies Area;
