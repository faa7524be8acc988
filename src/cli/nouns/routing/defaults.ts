import { channelNames } from '../../../contract/areas/channels/names.ts';
import * as contract from '../../../contract/areas/routing/endpoints.ts';
import { callVerb } from '../../verb/call-verb.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import { withAgentNames } from './agent-names.ts';

/** The agents that answer new contacts on a channel. */
export const defaultVerbs = [
  withAgentNames(
    callVerb({
      name: 'defaults list',
      endpoint: contract.listDefaults,
      examples: [['msgctl routing defaults list', 'every default, including retired ones']],
      shown: { rows: 'entry_points', columns: ['id', 'channels', 'match_config.phone_numbers', 'agent_id', 'enabled', 'revision'] },
    }),
  ),
  callVerb({
    name: 'defaults set',
    endpoint: contract.setDefault,
    examples: [
      ['msgctl routing defaults set chatapp Ada', 'Ada answers new contacts on chatapp'],
      ['msgctl routing defaults set chatapp Eve --phone-number +14155550100', 'only contacts who write to this number'],
      ["msgctl routing defaults set sms ''", 'nobody answers new contacts on sms'],
    ],
    arguments: [
      { field: 'channel' },
      { field: 'agent_id', name: 'agent', summary: "the id or the name of an agent; '' for nobody", lookup: agentLookup },
    ],
    fields: ['phone_number'],
    shown: { columns: ['entry_point_id', 'disabled_entry_point_ids'] },
  }),
  callVerb({
    name: 'defaults clear',
    endpoint: contract.clearDefault,
    examples: [
      ['msgctl routing defaults clear chatapp', 'all defaults of the channel, including those of its numbers'],
      ['msgctl routing defaults clear chatapp --phone-number +14155550100', 'only the default of a number'],
    ],
    arguments: [{ field: 'channel' }],
    fields: ['phone_number'],
    shown: { columns: ['disabled_entry_point_ids'] },
  }),
];

/** The legacy form of defaults, in which a campaign answers a channel. */
export const channelVerbs = [
  callVerb({
    name: 'channels set',
    endpoint: contract.setChannelRouting,
    examples: [
      ['msgctl routing channels set chatapp Spring', 'the agent of the campaign answers, even if the campaign changes its agent later'],
      ["msgctl routing channels set chatapp ''", 'no campaign answers the channel'],
    ],
    arguments: [
      { param: 'channel', summary: 'the channel', completes: channelNames },
      { field: 'campaignId', name: 'campaign', summary: "the id or the name of a campaign; '' for none", lookup: campaignLookup },
    ],
    body: ({ campaignId, ...others }) => ({ ...others, campaignId: campaignId === '' ? null : campaignId }),
    shown: { columns: ['channel', 'campaign_id'] },
  }),
  callVerb({
    name: 'channels clear',
    endpoint: contract.clearChannelRouting,
    examples: [['msgctl routing channels clear chatapp sms', 'retire the defaults of two channels']],
    arguments: [{ field: 'channels', isRepeated: true }],
    shown: { columns: ['released_channels'] },
  }),
];
