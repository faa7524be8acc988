import type { Area } from '../../area.ts';
import { agencyHandlers } from './handlers.ts';

/** What an agency sees of all its sub-accounts. */
export const agencyArea = {
  handlers: agencyHandlers,
} satisfies Area;
