import type { Area } from '../../area.ts';
import { noteHandlers } from './handlers.ts';

/** Notes on contacts, deals and tasks. */
export const noteArea = {
  handlers: noteHandlers,
  rows: [{ table: 'notes' }],
} satisfies Area;
