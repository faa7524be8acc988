import { listCampaigns } from '../../../contract/areas/campaigns/endpoints.ts';
import * as contract from '../../../contract/areas/gaps/endpoints.ts';
import { someOf } from '../../../contract/text/some-of.ts';
import { usageError } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import { faqLookup } from '../../lookups/faqs.ts';
import { findGap, gapLookup } from '../../lookups/gaps.ts';
import { withNamedFields } from '../../lookups/named.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Session, Verb } from '../../verb/noun.ts';
import { contactsField, nearestField } from './gap-fields.ts';

const columns = [
  'id',
  'question',
  'count',
  'status',
  'first_at',
  'last_at',
  'wordings',
  'agent_ids',
  'contact_ids',
  'faq_id',
  'task_id',
] as const;

const gap = {
  param: 'id',
  name: 'gap',
  summary: 'the id of a gap, or words that one open gap alone has',
  completes: gapLookup,
  resolve: async (value: string | undefined, session: Session) => await findGap(session, value ?? ''),
} as const;

const shown = { field: 'gap', columns } as const;

const sort = { field: 'sort', flag: 'frequent' } as const;

/** A list with `--frequent`, which is the API's `sort=frequent`: `--sort` is that of every list. */
function withFrequent(verb: Verb): Verb {
  return {
    ...verb,
    fields: verb.fields?.filter((field) => field !== sort),
    options: [{ flags: '--frequent', summary: 'the most frequent gaps, one page of them, instead of the newest', fills: ['sort'] }],
    run: async (session, values, { frequent, ...options }) =>
      await verb.run(session, values, frequent ? { ...options, frequent: 'frequent' } : options),
  };
}

const list = withFrequent(
  withNamedFields(
    callVerb({
      name: 'gaps list',
      endpoint: contract.listGaps,
      examples: [
        ['msgctl kb gaps', 'what contacts asked in vain, and the FAQs that come nearest'],
        ['msgctl kb gaps list --frequent --status open', 'what is asked most often'],
      ],
      fields: ['status', { field: 'agent_id', flag: 'agent', lookup: agentLookup }, sort],
      shown: { columns },
    }),
    [contactsField, nearestField],
    ['question', 'count', 'contacts', 'first_at', 'nearest', 'status', 'id', 'last_at'],
  ),
);

/** The verbs of gaps. `kb gaps` alone is what an author opens in the morning. */
export const gapVerbs: readonly Verb[] = [
  list,
  { ...list, name: 'gaps' },
  callVerb({
    name: 'gaps get',
    endpoint: contract.getGap,
    examples: [["msgctl kb gaps get 'open on sunday'", 'its wordings, and who asked']],
    arguments: [gap],
    shown,
  }),
  {
    ...callVerb({
      name: 'gaps suggest',
      endpoint: contract.suggestFaqs,
      examples: [["msgctl kb gaps suggest 'open on sunday'", 'the ten FAQs that come nearest']],
      arguments: [gap],
      shown: { rows: 'faqs', columns: ['score', 'question', 'faq_id'] },
    }),
    showsPart: true,
  },
  callVerb({
    name: 'gaps answer',
    endpoint: contract.answerGap,
    examples: [
      ["msgctl kb gaps answer 'open on sunday' 'From nine to one.'", 'a new FAQ with the question of the gap'],
      ["msgctl kb gaps answer gap_1 --faq 'When do you open?'", 'a FAQ that answers it already'],
      ["msgctl kb gaps answer gap_1 'At nine.' --question 'When do you open?' --campaign Spring", 'with other words, in this campaign'],
    ],
    arguments: [gap, { field: 'answer', isOptional: true }],
    fields: [
      { field: 'faqId', flag: 'faq', lookup: faqLookup },
      'question',
      {
        field: 'campaignId',
        flag: 'campaign',
        lookup: campaignLookup,
        summary: 'the campaign that the FAQ is linked to (default: the only one of the agent)',
        isOptional: true,
      },
    ],
    body: async (fields, { session, values }) => {
      const isGiven = fields.campaignId !== undefined || session.input.campaignId !== undefined;
      return isGiven ? fields : { ...fields, campaignId: await campaignOf(session, values[0] ?? '') };
    },
    shown,
    done: ({ gap: { question }, faq_id: id }) => `Answered '${question}' with ${id}.`,
  }),
  callVerb({
    name: 'gaps dismiss',
    endpoint: contract.dismissGap,
    examples: [["msgctl kb gaps dismiss 'parking permits'", 'it needs no answer; its task is completed']],
    arguments: [gap],
    shown,
    done: ({ gap: { question } }) => `Dismissed '${question}'.`,
  }),
];

/** The only campaign of the agents that a gap was asked. @throws CliError 2 when they have several, or none */
async function campaignOf(session: Session, words: string): Promise<string> {
  const client = await session.targets.client();
  const { agent_ids: agents } = (await client.call(contract.getGap, { params: { id: await findGap(session, words) } })).gap;
  const campaigns = (await client.all(listCampaigns, {})).filter(({ agent_id: agent }) => agent !== null && agents.includes(agent));
  const [campaign, ...others] = campaigns;
  if (campaign && others.length === 0) return campaign.id;
  const names = someOf(campaigns.map(({ name }) => `'${name}'`));
  const why = campaign ? `The agent answers for several campaigns: ${names}` : 'The agent answers for no campaign';
  throw usageError(why, 'Give the one that the FAQ is to be linked to with --campaign.');
}
