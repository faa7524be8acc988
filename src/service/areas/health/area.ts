import { healthHandlers, openApiHandlers } from './handlers.ts';
import type { Area } from '../../area.ts';

/** What needs no key: the state of the service, and its description. */
export const healthArea = {
  handlers: { ...healthHandlers, ...openApiHandlers },
} satisfies Area;
