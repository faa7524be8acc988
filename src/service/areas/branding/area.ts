import type { Area } from '../../area.ts';
import { brandingHandlers } from './handlers.ts';

/** The brands of agencies, and their storefronts. */
export const brandingArea = {
  handlers: brandingHandlers,
  rows: [{ table: 'white_labels' }],
} satisfies Area;
