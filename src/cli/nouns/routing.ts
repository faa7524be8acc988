import { listAgents } from '../../contract/areas/agents/endpoints.ts';
import { listCampaigns } from '../../contract/areas/campaigns/endpoints.ts';
import * as contract from '../../contract/areas/routing/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'type', 'channels', 'agent_id', 'enabled', 'match_config', 'first_response_mode', 'revision'] as const;

const agents = lookup(listAgents, 'agents', 'name');

const agent = { param: 'agentId', name: 'agent', summary: 'the id of an agent', completes: agents } as const;

const rule = { param: 'entryPointId', name: 'rule', summary: 'the id of a rule' } as const;

const made = { columns: ['entry_point_id'] } as const;

const responses = ['first_response_mode', 'first_response_exact_text', 'public_comment_reply_exact_text'] as const;

const enabled = { field: 'enabled', negative: 'retire the rule' } as const;

export const routing: Noun = {
  name: 'routing',
  verbs: [
    callVerb({
      name: 'defaults list',
      endpoint: contract.listDefaults,
      examples: [['msgctl routing defaults list', 'who answers each channel, with what was in force before']],
      shown: { rows: 'entry_points', columns },
    }),
    callVerb({
      name: 'defaults set',
      endpoint: contract.setDefault,
      examples: [
        ['msgctl routing defaults set chatapp agt_1', 'let an agent answer new contacts on a channel'],
        ["msgctl routing defaults set chatapp '' --phone-number +14155550100", 'let nobody answer on a number'],
      ],
      arguments: [{ field: 'channel' }, { field: 'agent_id', name: 'agent', completes: agents }],
      fields: ['phone_number'],
      shown: { columns: ['entry_point_id', 'disabled_entry_point_ids'] },
    }),
    callVerb({
      name: 'defaults clear',
      endpoint: contract.clearDefault,
      examples: [['msgctl routing defaults clear --channel chatapp', 'retire every default of a channel']],
      fields: ['channel', 'phone_number'],
      confirm: () => 'Retire the default?',
      shown: { columns: ['disabled_entry_point_ids'] },
    }),
    callVerb({
      name: 'rules list',
      endpoint: contract.listRules,
      examples: [['msgctl routing rules list agt_1', 'the rules of an agent']],
      arguments: [agent],
      shown: { rows: 'entry_points', columns },
    }),
    callVerb({
      name: 'rules create',
      endpoint: contract.createRule,
      examples: [
        [
          `msgctl routing rules create agt_1 --type keyword --channels chatapp --match-config '{"keywords": ["menu"]}'`,
          'answer contacts whose first message is a keyword',
        ],
      ],
      arguments: [agent],
      fields: ['type', 'channels', 'match_config', enabled, ...responses],
      shown: made,
    }),
    callVerb({
      name: 'rules update',
      endpoint: contract.updateRule,
      examples: [['msgctl routing rules update ent_1 --agent-id agt_2', 'move a rule to another agent']],
      arguments: [rule],
      fields: ['type', 'channels', 'match_config', enabled, ...responses, 'agent_id'],
      shown: made,
    }),
    deleteVerb('rule', {
      name: 'rules delete',
      endpoint: contract.deleteRule,
      examples: [['msgctl routing rules delete ent_1 --yes', 'skip the confirmation']],
      arguments: [rule],
    }),
    callVerb({
      name: 'channels set',
      endpoint: contract.setChannelRouting,
      examples: [['msgctl routing channels set chatapp cmp_1', "let a campaign's agent answer a channel (legacy)"]],
      arguments: [
        { param: 'channel', summary: 'the channel' },
        { field: 'campaignId', name: 'campaign', completes: lookup(listCampaigns, 'campaigns', 'name') },
      ],
      shown: { columns: ['channel', 'campaign_id'] },
    }),
    callVerb({
      name: 'channels clear',
      endpoint: contract.clearChannelRouting,
      examples: [['msgctl routing channels clear --channels chatapp,sms', 'release two channels (legacy)']],
      fields: ['channels'],
      confirm: () => 'Release the channels?',
      shown: { columns: ['released_channels'] },
    }),
    callVerb({
      name: 'status',
      endpoint: contract.routingStatus,
      examples: [['msgctl routing status', 'whether entry points route this account']],
      shown: { columns: ['cutover_enabled'] },
    }),
  ],
};
