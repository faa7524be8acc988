import type { Area } from '../../area.ts';
import { brandingHandlers } from './handlers.ts';
import { storefrontRoutes } from './storefront.ts';

/** The brands of agencies, and their storefronts. */
export const brandingArea = {
  handlers: brandingHandlers,
  publicRoutes: storefrontRoutes,
  rows: [{ table: 'white_labels' }],
} satisfies Area;
