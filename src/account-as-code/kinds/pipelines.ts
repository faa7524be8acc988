import * as z from 'zod';
import { counted } from '../../contract/text/counted.ts';
import { fold } from '../../contract/text/fold.ts';
import {
  createPipeline,
  deletePipeline,
  getPipeline,
  listPipelines,
  newStage,
  type stageKinds,
  stages,
  updatePipeline,
} from '../../contract/areas/pipelines/endpoints.ts';
import type { AnswerRow, Kind, LiveRecord } from '../kind.ts';
import { once, requestFields } from './schema.ts';
import { type Fields, isFields } from '../values.ts';

const requested = once(() => requestFields(createPipeline));

/** A stage as answers show it. */
interface Stage {
  readonly id: string;
  readonly name: string;
  readonly kind: (typeof stageKinds)[number];
  readonly deal_count: number;
}

/** The pipelines of deals. Their stages are known by their names; the deals are data. */
export const pipelines: Kind = {
  name: 'pipelines',
  noun: 'pipeline',
  file: 'pipelines.yaml',
  // A field that a stage does not have is an error in files.
  schema: () => z.strictObject({ ...requested(), stages: stages(() => newStage().strict()).optional() }),
  normalise: (fields) => ({ ...fields, ...(Array.isArray(fields.stages) && { stages: fields.stages.filter(isFields).map(normalStage) }) }),
  endpoints: [listPipelines, createPipeline, getPipeline, updatePipeline, deletePipeline],
  identity: { key: ['name'], fold },
  reading: {
    list: (client) => client.all(listPipelines, {}),
    get: async (client, id) => (await client.call(getPipeline, { params: { id } })).pipeline,
    isServedBySomeOnly: true,
    fields: (row) => [{ name: row.name, stages: stagesOf(row).map(({ name, kind }) => ({ name, kind })) }],
  },
  writing: {
    step: 1,
    required: () => ['stages'],
    create: async ({ client, fields }) => {
      const body = fields as { name: string; stages: { name: string }[] };
      return { id: (await client.call(createPipeline, { body })).pipeline.id };
    },
    update: async ({ client, fields, live: { id, row } }) => {
      await client.call(updatePipeline, {
        params: { id },
        body: { ...fields, ...(isListed(fields) && { stages: withIds(fields.stages, row) }) },
      });
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deletePipeline, { params: { id } });
    },
    refuses: whyKept,
    keeps: ({ row }) => dealsText(stagesOf(row)),
  },
};

/** A stage with its kind, which files leave out for an open one. */
function normalStage({ name, kind = 'open' }: Fields): Fields {
  return { name, kind };
}

function stagesOf({ stages }: AnswerRow): readonly Stage[] {
  return stages as readonly Stage[];
}

function isListed(fields: Fields): fields is Fields & { readonly stages: readonly Fields[] } {
  return Array.isArray(fields.stages);
}

/** The stages of files as a request: one of the same name stays the stage that it was. */
function withIds(wanted: readonly Fields[], row: AnswerRow) {
  const ids = new Map(stagesOf(row).map(({ id, name }) => [fold(name), id]));
  return wanted.map((stage) => ({ ...stage, id: ids.get(fold(String(stage.name))) }) as { id?: string; name: string });
}

/** Why the stages of a pipeline cannot be replaced: those with deals stay, with their kind. */
function whyKept(fields: Fields, live: LiveRecord | undefined): string | undefined {
  if (!live || !isListed(fields)) return undefined;
  const kinds = new Map(fields.stages.map(({ name, kind }) => [fold(String(name)), kind]));
  return dealsText(stagesOf(live.row).filter(({ name, kind }) => kinds.get(fold(name)) !== kind));
}

/** Says which of these stages have deals; undefined if none has. */
function dealsText(stages: readonly Stage[]): string | undefined {
  const texts = stages.flatMap(({ name, deal_count: count }) => (count > 0 ? [`'${name}' has ${counted(count, 'deal')}`] : []));
  return texts.length === 0 ? undefined : `the stage ${texts.join(', ')}: move them first`;
}
