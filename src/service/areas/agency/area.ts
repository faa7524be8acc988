import type { Area } from '../../area.ts';
import { agencyHandlers } from './handlers.ts';

/** What an agency sees of all its sub-accounts, and at which price it sells credits. */
export const agencyArea = {
  handlers: agencyHandlers,
  rows: [{ table: 'credit_prices' }],
} satisfies Area;
