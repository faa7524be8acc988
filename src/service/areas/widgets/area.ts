import type { Area } from '../../area.ts';
import { widgetHandlers } from './handlers.ts';

/** Widgets for websites. Their pages are in `visitors`. */
export const widgetArea = {
  handlers: widgetHandlers,
  rows: [{ table: 'widgets' }],
} satisfies Area;
