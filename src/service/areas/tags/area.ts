import { tagHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Tags. */
export const tagArea = {
  handlers: tagHandlers,
  rows: [{ table: 'tags', dependents: [{ table: 'contact_tags', column: 'tag_id' }] }],
} satisfies Area;
