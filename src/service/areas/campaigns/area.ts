import { campaignHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** Campaigns with their tags. */
export const campaignArea = {
  handlers: campaignHandlers,
} satisfies Area;
