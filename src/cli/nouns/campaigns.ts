import * as contract from '../../contract/areas/campaigns/endpoints.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { callVerb } from '../command/call-verb.ts';
import { deleteVerb } from '../command/delete-verb.ts';
import { agentLookup } from '../lookups/agents.ts';
import type { Noun } from '../command/noun.ts';

const columns = ['id', 'name', 'status', 'channel', 'agent_id', 'outgoing_only', 'created_at', 'updated_at'] as const;

const shared = { arguments: [{ param: 'id', summary: 'the id or the name of a campaign', lookup: campaignLookup }] } as const;

const shown = { field: 'campaign', columns } as const;

const fields = [
  'channel',
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
  { field: 'outgoing_only', negative: 'answer messages too' },
  'status',
] as const;

export const campaigns: Noun = {
  name: 'campaigns',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listCampaigns,
      examples: [['msgctl campaigns list', 'the 50 newest campaigns']],
      shown: { columns },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getCampaign,
      examples: [['msgctl campaigns get cmp_1', 'show one campaign']],
      shown,
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createCampaign,
      examples: [['msgctl campaigns create Spring --channel chatapp', 'create a campaign on a channel']],
      arguments: [{ field: 'name' }],
      fields,
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateCampaign,
      examples: [['msgctl campaigns update cmp_1 --status paused', 'fields you leave out keep their value']],
      fields: ['name', ...fields],
      shown,
    }),
    deleteVerb({
      lookup: campaignLookup,
      endpoint: contract.deleteCampaign,
      examples: [['msgctl campaigns delete cmp_1 --yes', 'skip the confirmation']],
    }),
  ],
};
