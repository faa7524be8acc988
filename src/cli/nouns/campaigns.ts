import * as contract from '../../contract/areas/campaigns/endpoints.ts';
import { channelNames } from '../../contract/areas/channels/names.ts';
import { callVerb, clearable, deleteVerb, given, type Lookup, type Noun, type OptionSpec, type Options } from '../command/command.ts';

const columns = ['id', 'name', 'status', 'channel', 'agent_id', 'outgoing_only', 'created_at', 'updated_at'];

const ids: Lookup = { endpoint: contract.listCampaigns, rows: 'campaigns', label: 'name' };

const shared = { arguments: [['<id>', 'the id of a campaign', ids]], params: ['id'] } as const;

const shown = { field: 'campaign', columns };

const fieldOptions: readonly OptionSpec[] = [
  { flags: '--channel <channel>', summary: 'its channel', completes: channelNames },
  { flags: '--agent <id>', summary: 'the agent that answers' },
  { flags: '--outgoing-only', summary: 'it only sends' },
  { flags: '--no-outgoing-only', summary: 'it answers too' },
  { flags: '--status <status>', summary: 'active or paused', choices: contract.campaignStatuses },
];

const fields = ({ channel, agent, outgoingOnly, status }: Options) =>
  given({ channel: clearable(channel), agent_id: clearable(agent), outgoing_only: outgoingOnly, status });

export const campaigns: Noun = {
  name: 'campaigns',
  summary: 'Manage classic campaigns',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listCampaigns,
      examples: [['msgctl campaigns list', 'the newest 50']],
      shown: { columns },
    }),
    callVerb({ ...shared, name: 'get', endpoint: contract.getCampaign, examples: [['msgctl campaigns get cmp_1', 'one of them']], shown }),
    callVerb({
      name: 'create',
      endpoint: contract.createCampaign,
      examples: [['msgctl campaigns create Spring --channel chatapp', 'on a channel']],
      arguments: [['<name>', 'the name of the campaign']],
      options: fieldOptions,
      body: (options, [name]) => given({ name, ...fields(options) }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateCampaign,
      examples: [['msgctl campaigns update cmp_1 --status paused', 'what is not given stays']],
      options: [{ flags: '--name <text>', summary: 'the new name' }, ...fieldOptions],
      body: (options) => given({ name: options.name, ...fields(options) }),
      shown,
    }),
    deleteVerb('campaign', {
      ...shared,
      endpoint: contract.deleteCampaign,
      examples: [['msgctl campaigns delete cmp_1 --yes', 'without being asked']],
    }),
  ],
};
