import { migration } from '../store/migration.ts';

/** How a conversation was handled depends on who wrote in it, regardless of the order. */
export const handling = migration('handling', () => ['alter table chat_sessions drop column human_after_ai']);
