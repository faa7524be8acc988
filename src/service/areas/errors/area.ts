import { trimmingNotices } from '../notices/trimming.ts';
import { errorHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** What failed where no caller saw it. */
export const errorArea = {
  handlers: errorHandlers,
  rows: [{ table: 'error_records' }],
  trimming: (retention) => trimmingNotices('error_records', 'last_at', retention),
} satisfies Area;
