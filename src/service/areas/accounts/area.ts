import { accountHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Sub-accounts, and transfers of credits between them. */
export const accountArea = {
  handlers: accountHandlers,
} satisfies Area;
