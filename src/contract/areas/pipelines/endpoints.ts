import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, name, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { fold } from '../../text/fold.ts';

/** What a stage means for the deals in it. */
export const stageKinds = ['open', 'won', 'lost'] as const;

export type StageKind = (typeof stageKinds)[number];

const pipeline = () =>
  z.object({
    id: recordId('ppl_'),
    name: z.string(),
    stages: z.array(
      z.object({
        id: recordId('stg_'),
        name: z.string(),
        kind: z.enum(stageKinds),
        deal_count: z.int().describe('how many deals are in the stage'),
      }),
    ),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const kind = () => z.enum(stageKinds).optional().describe('what the stage means: deals in it are open, won or lost');

function hasEachOnce(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

/** The fields of a new stage. */
export const newStage = () => z.object({ name: name().describe('the name of the stage'), kind: kind() });

/** The stages of a pipeline. @param stage the schema of one, which has a name */
export function stages<Stage extends z.ZodType<{ name?: string | undefined }>>(stage: () => Stage) {
  return z
    .array(stage())
    .min(1, { error: 'must have at least one stage' })
    .max(limits.pipelineStages)
    .refine((list) => hasEachOnce(list.flatMap(({ name: own }) => (own === undefined ? [] : fold(own)))), {
      error: 'must have different names',
    })
    .describe('the stages, in order');
}

const shared = { section: 'Deals', access: 'account' } as const;
const view = { ...shared, permission: 'contacts.view' } as const;
const edit = { ...shared, permission: 'contacts.edit' } as const;
const answer = { 200: () => z.object({ pipeline: pipeline() }) } as const;

export const listPipelines = endpoint({
  ...view,
  name: 'pipelines.list',
  method: 'GET',
  path: '/pipelines',
  summary: 'List the pipelines, newest first',
  query: () => z.object(pageQuery()),
  rows: 'pipelines',
  responses: { 200: () => z.object({ pipelines: z.array(pipeline()), next_cursor: nextCursor() }) },
});

export const createPipeline = endpoint({
  ...edit,
  name: 'pipelines.create',
  method: 'POST',
  path: '/pipelines',
  summary: 'Create a pipeline',
  body: () =>
    z.object({
      name: name().describe('the name of the pipeline'),
      stages: stages(newStage),
    }),
  responses: { 201: () => z.object({ pipeline: pipeline() }) },
  errors: [409],
});

export const getPipeline = endpoint({
  ...view,
  name: 'pipelines.get',
  method: 'GET',
  path: '/pipelines/{id}',
  summary: 'Show a pipeline',
  responses: answer,
  errors: [404],
});

export const updatePipeline = endpoint({
  ...edit,
  name: 'pipelines.update',
  method: 'PUT',
  path: '/pipelines/{id}',
  summary: 'Update a pipeline; stages replace the list',
  body: () =>
    z.object({
      name: name().optional().describe('the name of the pipeline'),
      stages: stages(() =>
        z
          .object({
            id: id().optional().describe('the id of a stage that stays; without it, the stage is new'),
            name: name().optional().describe('the name of the stage; one with an id keeps its own by default'),
            kind: kind(),
          })
          .refine((stage) => stage.id !== undefined || stage.name !== undefined, { error: 'must have a name or an id' }),
      )
        .refine((list) => hasEachOnce(list.flatMap((stage) => stage.id ?? [])), { error: 'must have each id only once' })
        .optional(),
    }),
  responses: answer,
  errors: [404, 409],
});

export const deletePipeline = endpoint({
  ...edit,
  name: 'pipelines.delete',
  method: 'DELETE',
  path: '/pipelines/{id}',
  summary: 'Delete a pipeline without deals',
  responses: { 200: () => z.object({}) },
  errors: [404, 409],
});

export const pipelineEndpoints = [listPipelines, createPipeline, getPipeline, updatePipeline, deletePipeline] as const;
