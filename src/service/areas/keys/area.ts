import { keyHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** API keys. */
export const keyArea = {
  handlers: keyHandlers,
  rows: [{ table: 'api_keys' }],
} satisfies Area;
