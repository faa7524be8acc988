import type { Area } from '../../area.ts';
import { mediaHandlers } from './handlers.ts';

/** The images, documents and sounds that agents can send. */
export const mediaArea = {
  handlers: mediaHandlers,
  rows: [{ table: 'agent_media' }],
} satisfies Area;
