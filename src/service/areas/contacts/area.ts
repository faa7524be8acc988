import { contactHandlers } from './handlers.ts';
import { listContactHandlers } from './list-handlers.ts';
import type { Area } from '../../area.ts';

/** Contacts, and which of them are on a list. */
export const contactArea = {
  handlers: { ...contactHandlers, ...listContactHandlers },
  rows: [
    {
      table: 'contacts',
      dependents: [
        { table: 'messages', column: 'contact_id' },
        { table: 'chat_sessions', column: 'contact_id' },
        { table: 'decisions', column: 'contact_id' },
        { table: 'message_statuses', column: 'contact_id' },
        { table: 'reply_traces', column: 'contact_id' },
        { table: 'notes', column: 'entity_id' },
        { table: 'status_changes', column: 'entity_id' },
        { table: 'contact_counts', column: 'contact_id', key: ['contact_id', 'hour', 'place'] },
      ],
    },
  ],
} satisfies Area;
