import * as contract from '../../../contract/areas/agents/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import type { Verb } from '../../verb/noun.ts';
import { agentArgument, agentLookup } from '../../lookups/agents.ts';
import { tagLookup } from '../../lookups/tags.ts';
import { wholeList } from '../../output/result.ts';
import { startingRun } from './runs.ts';
import { askToRemove, explainMissingRule, wholeRule } from './tagging-rules.ts';

const shared = { arguments: [agentArgument] } as const;

const tag = { param: 'tagId', name: 'tag', summary: 'the id or the name of the tag of a rule', lookup: tagLookup } as const;

const furtherRuleFields = [
  'tag.description',
  'tag.webhook',
  { field: 'tag.ai_can_remove', negative: 'do not let the agent remove this tag' },
] as const;

const ruleFields = ['tag.name', ...furtherRuleFields] as const;

const ruleColumns = ['tag_id', 'name', 'description', 'webhook', 'ai_can_remove'] as const;

/** The verbs of the tagging rules of an agent. */
export const tagVerbs: readonly Verb[] = [
  {
    ...shared,
    name: 'tags list',
    summary: 'List the tagging rules of an agent',
    examples: [['msgctl agents tags list Ada', 'the tags that it applies, and when']],
    endpoint: contract.getAgent,
    shown: { rows: 'tags', columns: ruleColumns },
    run: async ({ targets, names }, [word = '']) => {
      const agentId = await names.id(agentLookup, word);
      const { agent } = await (await targets.client()).call(contract.getAgent, { params: { agentId }, query: { fields: 'tags' } });
      return wholeList('tags', agent.tags ?? []);
    },
  },
  callVerb({
    ...shared,
    name: 'tags add',
    endpoint: contract.addTag,
    examples: [[`msgctl agents tags add Ada --name VIP --description 'Says "big order"'`, 'tag contacts by what they write']],
    fields: [...ruleFields, { field: 'tag.tag_id', flag: 'tag', lookup: tagLookup }],
    shown: { field: 'tag', columns: ruleColumns },
  }),
  callVerb({
    name: 'tags update',
    endpoint: contract.updateTag,
    summary: 'Update a tagging rule; its tag stays the same',
    examples: [[`msgctl agents tags update Ada VIP --description 'Says "a big order"'`, 'fields you omit keep their value']],
    arguments: [agentArgument, tag],
    fields: [{ field: 'tag.name', isOptional: true }, ...furtherRuleFields],
    body: async (given, { session, values: [agent = '', tagId = ''] }) => await wholeRule(given, agent, tagId, session),
    explain: explainMissingRule,
    shown: { columns: [] },
    done: (_answer, [id, tagId]) => `Updated the rule of the agent ${id} for the tag ${tagId}.`,
  }),
  callVerb({
    name: 'tags remove',
    endpoint: contract.removeTag,
    examples: [['msgctl agents tags remove Ada VIP --yes', 'skip the confirmation']],
    arguments: [agentArgument, tag],
    confirm: async ({ session, values }) => await askToRemove(values, session),
    explain: explainMissingRule,
    shown: { columns: [] },
    done: (_answer, [id, tagId]) => `Removed the rule of the agent ${id} for the tag ${tagId}.`,
  }),
  startingRun(
    'tag_generation',
    callVerb({
      ...shared,
      name: 'tags generate',
      endpoint: contract.generateTags,
      examples: [['msgctl agents tags generate Ada --wait', 'add drafted rules to the existing ones']],
      fields: ['mode'],
      shown: { columns: ['agent_id', 'mode'] },
    }),
  ),
];
