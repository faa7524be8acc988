import * as contract from '../../../contract/areas/groups/endpoints.ts';
import { counted } from '../../../contract/text/counted.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import { faqLookup } from '../../lookups/faqs.ts';
import { groupLookup } from '../../lookups/groups.ts';
import { callVerb } from '../../verb/call-verb.ts';
import { deleteVerb } from '../../verb/delete-verb.ts';
import type { Verb } from '../../verb/noun.ts';

const columns = ['id', 'name', 'faq_count', 'description', 'agent_ids', 'campaign_ids', 'created_at', 'updated_at'] as const;

const group = { param: 'id', name: 'group', summary: 'the id or the name of a group', lookup: groupLookup } as const;

const faqs = { field: 'faq_ids', name: 'faqs', summary: 'FAQs by id or question', lookup: faqLookup, isRepeated: true } as const;

const shown = { field: 'kb_group', columns } as const;

const users = [
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
  { field: 'campaign_id', flag: 'campaign', lookup: campaignLookup },
] as const;

/** What a note says of the FAQs of a group. */
const faqsOf = ({ linked, kb_group: { name } }: { linked: number; kb_group: { name: string } }) =>
  `the ${counted(linked, 'FAQ')} of the group '${name}'`;

/** The verbs of knowledge groups. */
export const groupVerbs: readonly Verb[] = [
  callVerb({
    name: 'groups list',
    endpoint: contract.listGroups,
    examples: [['msgctl kb groups list', 'the groups, newest first']],
    shown: { columns },
  }),
  callVerb({
    name: 'groups get',
    endpoint: contract.getGroup,
    examples: [['msgctl kb groups get Delivery', 'which agents and campaigns it is applied to']],
    arguments: [group],
    shown,
  }),
  callVerb({
    name: 'groups create',
    endpoint: contract.createGroup,
    examples: [["msgctl kb groups create Delivery --description 'What is sent when and where'", 'an empty group']],
    arguments: [{ field: 'name' }],
    fields: ['description'],
    shown,
  }),
  callVerb({
    name: 'groups update',
    endpoint: contract.updateGroup,
    examples: [['msgctl kb groups update Delivery --name Shipping', 'fields you omit keep their value']],
    arguments: [group],
    fields: ['name', 'description'],
    shown,
  }),
  {
    ...deleteVerb({
      lookup: groupLookup,
      endpoint: contract.deleteGroup,
      examples: [['msgctl kb groups delete Delivery', 'asks for confirmation; the FAQs are kept, and agents no longer know them by it']],
      consequence: ({ faq_count: count }) => ` and keep its ${counted(Number(count ?? 0), 'FAQ')}`,
    }),
    name: 'groups delete',
  },
  callVerb({
    name: 'groups faqs',
    endpoint: contract.listGroupFaqs,
    examples: [['msgctl kb groups faqs Delivery --all', 'every FAQ of a group']],
    arguments: [group],
    shown: { columns: ['question', 'answer', 'category', 'is_active', 'id'] },
  }),
  callVerb({
    name: 'groups add',
    endpoint: contract.addGroupFaqs,
    examples: [["msgctl kb groups add Delivery 'How long does shipping take?' faq_1", 'add two FAQs to a group']],
    arguments: [group, faqs],
    shown,
  }),
  callVerb({
    name: 'groups remove',
    endpoint: contract.removeGroupFaqs,
    examples: [['msgctl kb groups remove Delivery faq_1', 'remove a FAQ from a group; the FAQ is kept']],
    arguments: [group, faqs],
    shown,
  }),
  callVerb({
    name: 'groups apply',
    endpoint: contract.applyGroup,
    examples: [
      ['msgctl kb groups apply Delivery --agent Ada', 'the agent knows the FAQs of the group, later ones too'],
      ['msgctl kb groups apply Delivery --campaign Spring', 'whichever agent answers for the campaign'],
    ],
    arguments: [group],
    fields: users,
    shown,
    done: (answer) => `Applied ${faqsOf(answer)}.`,
  }),
  callVerb({
    name: 'groups unapply',
    endpoint: contract.unapplyGroup,
    examples: [['msgctl kb groups unapply Delivery --agent Ada', 'the FAQs are kept, and known where else they are linked']],
    arguments: [group],
    fields: users,
    shown,
    done: (answer) => `No longer applied: ${faqsOf(answer)}.`,
  }),
];
