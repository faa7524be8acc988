import type { Area } from '../../area.ts';
import { pipelineHandlers } from './handlers.ts';

/** The pipelines of deals and their stages. */
export const pipelineArea = {
  handlers: pipelineHandlers,
} satisfies Area;
