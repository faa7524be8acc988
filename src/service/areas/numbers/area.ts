import type { Area } from '../../area.ts';
import { numberHandlers } from './handlers.ts';

/** Own phone numbers. */
export const numberArea = {
  handlers: numberHandlers,
  rows: [{ table: 'phone_numbers' }],
} satisfies Area;
