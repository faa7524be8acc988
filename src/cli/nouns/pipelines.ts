import * as contract from '../../contract/areas/pipelines/endpoints.ts';
import { InterfaceError } from '../../client/errors.ts';
import { toCliError } from '../explain.ts';
import { type NamedColumn, withNamedFields } from '../lookups/named.ts';
import { pipelineLookup } from '../lookups/pipelines.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun, Verb } from '../verb/noun.ts';
import { type GivenStage, stageOption, withIds } from './pipelines/stages.ts';

const columns = ['id', 'name', 'stages.name', 'stages.kind', 'stages.deal_count', 'created_at', 'updated_at'] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the name of a pipeline', lookup: pipelineLookup }] } as const;

const shown = { field: 'pipeline', columns } as const;

/** The stages with the number of their deals and with their kinds, unless they are open, in order. */
const dealsField: NamedColumn = {
  field: 'deals',
  id: 'stages.name',
  add: async (_, rows) =>
    rows.map((row) => {
      const stages = row.stages as readonly { readonly name: string; readonly kind: string; readonly deal_count: number }[];
      const texts = stages.map(({ name, kind, deal_count: count }) => `${name} ${count}${kind === 'open' ? '' : ` (${kind})`}`);
      return { ...row, deals: texts.join(', ') };
    }),
};

const withDeals = (verb: Verb) => withNamedFields(verb, [dealsField], ['name', 'deals', 'id', 'created_at', 'updated_at']);

/** Names the command that shows the deals in the way. */
const explain = (error: unknown) =>
  error instanceof InterfaceError && error.status === 409 && error.reason !== 'name_taken'
    ? toCliError(error).with({ hint: '`msgctl deals list --stage STAGE` shows them, `msgctl deals update DEAL --stage STAGE` moves one.' })
    : error;

export const pipelines: Noun = {
  name: 'pipelines',
  verbs: [
    withDeals(
      callVerb({
        name: 'list',
        endpoint: contract.listPipelines,
        examples: [['msgctl pipelines list', 'the pipelines with their stages']],
        shown: { columns },
      }),
    ),
    withDeals(
      callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getPipeline,
        examples: [['msgctl pipelines get Sales', 'how many deals are in each stage']],
        shown,
      }),
    ),
    withDeals(
      callVerb({
        name: 'create',
        endpoint: contract.createPipeline,
        examples: [
          ['msgctl pipelines create Renewals --stage New --stage Offer --stage Won:won --stage Lost:lost', 'with the stages in this order'],
        ],
        arguments: [{ field: 'name' }],
        options: [stageOption],
        body: (given, { options }) => ({
          ...given,
          ...(options.stage !== undefined && { stages: [...(options.stage as readonly GivenStage[])] }),
        }),
        shown,
      }),
    ),
    withDeals(
      callVerb({
        ...shared,
        name: 'update',
        endpoint: contract.updatePipeline,
        examples: [
          [
            'msgctl pipelines update Sales --stage New --stage Talk --stage Won:won',
            'all stages, in order; those of the same name keep their deals',
          ],
          ['msgctl pipelines update Sales --name Kitchens', 'a new name'],
        ],
        fields: ['name'],
        options: [stageOption],
        body: async (given, { session, options, values: [id = ''] }) => ({
          ...given,
          ...(options.stage !== undefined && { stages: await withIds(session, id, options.stage as readonly GivenStage[]) }),
        }),
        explain,
        shown,
      }),
    ),
    deleteVerb({
      lookup: pipelineLookup,
      endpoint: contract.deletePipeline,
      examples: [['msgctl pipelines delete Sales', 'asks for confirmation; it must be without deals']],
      explainConflict: async (error) => explain(error) as Error,
    }),
  ],
};
