import { configHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** The settings of an account. */
export const configArea = {
  handlers: configHandlers,
} satisfies Area;
