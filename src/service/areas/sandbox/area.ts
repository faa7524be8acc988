import { sandboxHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** The sandbox, with which tests and drills control the service. */
export const sandboxArea = {
  handlers: sandboxHandlers,
} satisfies Area;
