import * as contract from '../../contract/areas/deals/endpoints.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { dealLookup } from '../lookups/deals.ts';
import { contactField, pipelineField, stageField, withNamedFields } from '../lookups/named.ts';
import { pipelineLookup } from '../lookups/pipelines.ts';
import { stageIdOf, stageLookup } from '../lookups/stages.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun } from '../verb/noun.ts';

const columns = [
  'id',
  'title',
  'value',
  'currency',
  'stage_id',
  'status',
  'contact_id',
  'assignee',
  'expected_close_at',
  'stage_changed_at',
  'closed_at',
  'pipeline_id',
  'created_at',
  'updated_at',
] as const;

const names = [contactField, stageField, pipelineField];

const shared = { arguments: [{ param: 'id', summary: 'the id or the title of a deal', lookup: dealLookup }] } as const;

const shown = { field: 'deal', columns } as const;

const contact = { field: 'contact_id', flag: 'contact', lookup: contactLookup } as const;

const pipeline = { field: 'pipeline_id', flag: 'pipeline', lookup: pipelineLookup } as const;

const stage = {
  field: 'stage_id',
  flag: 'stage',
  placeholder: 'stage',
  completes: stageLookup,
  summary: 'the stage by id or name, or as `Sales/Won` where several pipelines have it',
  resolve: async (word: unknown, session: Parameters<typeof stageIdOf>[0]) => await stageIdOf(session, String(word)),
} as const;

const fields = ['value', 'currency', stage, pipeline, contact, { field: 'assignee', placeholder: 'name' }, 'expected_close_at'] as const;

export const deals: Noun = {
  name: 'deals',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listDeals,
        examples: [
          ['msgctl deals list --status open --contact +14155550123', 'what a contact may buy'],
          ['msgctl deals list --stage Proposal --all -o csv', 'every deal in a stage, for a spreadsheet'],
        ],
        fields: ['status', stage, pipeline, contact, 'search'],
        shown: { columns },
      }),
      names,
      ['title', 'value', 'currency', 'stage', 'status', 'contact', 'expected_close_at', 'assignee', 'id', 'pipeline'],
    ),
    withNamedFields(
      callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getDeal,
        examples: [["msgctl deals get 'New kitchen'", 'show one deal']],
        shown,
      }),
      names,
    ),
    withNamedFields(
      callVerb({
        name: 'create',
        endpoint: contract.createDeal,
        examples: [
          [
            "msgctl deals create 'New kitchen' --value 12500 --currency EUR --contact +14155550123",
            'in the first stage of the oldest pipeline',
          ],
          ["msgctl deals create Repair --stage Proposal --expected-close-at 'in 14 days'", 'in another stage'],
        ],
        arguments: [{ field: 'title' }],
        fields,
        shown,
      }),
      names,
    ),
    withNamedFields(
      callVerb({
        ...shared,
        name: 'update',
        endpoint: contract.updateDeal,
        examples: [
          ["msgctl deals update 'New kitchen' --stage Won", 'fields you omit keep their value'],
          ["msgctl deals update dea_1 --value ''", 'clear a field with an empty text'],
        ],
        fields: ['title', ...fields],
        shown,
      }),
      names,
    ),
    deleteVerb({
      lookup: dealLookup,
      endpoint: contract.deleteDeal,
      examples: [["msgctl deals delete 'New kitchen'", 'asks for confirmation; its notes go too']],
      consequence: () => ' and its notes',
      severalConsequence: () => ' and their notes',
    }),
  ],
};
