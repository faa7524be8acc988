import { getPipeline, listPipelines } from '../../contract/areas/pipelines/endpoints.ts';
import { lookup } from '../verb/lookup.ts';

/** Pipelines by name. */
export const pipelineLookup = lookup(listPipelines, 'pipelines', 'name', { get: getPipeline });
