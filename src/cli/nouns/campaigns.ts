import * as contract from '../../contract/areas/campaigns/endpoints.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { agentLookup } from '../lookups/agents.ts';
import { agentField, tagField, withNamedFields } from '../lookups/named.ts';
import { tagLookup } from '../lookups/tags.ts';
import { CliError, exitCodes } from '../errors.ts';
import { wholeList } from '../output/result.ts';
import type { Noun } from '../verb/noun.ts';

const columns = ['id', 'name', 'status', 'channel', 'agent_id', 'outgoing_only', 'created_at', 'updated_at', 'tags'] as const;

const tagColumns = ['tag_id', 'webhook'] as const;

const campaign = { param: 'id', name: 'campaign', summary: 'the id or the name of a campaign', lookup: campaignLookup } as const;

const shared = { arguments: [{ ...campaign, name: 'id' }] } as const;

const shown = { field: 'campaign', columns } as const;

const fields = [
  'channel',
  { field: 'agent_id', flag: 'agent', lookup: agentLookup },
  { field: 'outgoing_only', negative: 'also answer incoming messages' },
  'status',
] as const;

export const campaigns: Noun = {
  name: 'campaigns',
  groups: { tags: 'Manage the tags whose webhooks are called' },
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listCampaigns,
        examples: [['msgctl campaigns list', 'the 50 newest campaigns']],
        shown: { columns },
      }),
      [agentField],
    ),
    withNamedFields(
      callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getCampaign,
        examples: [['msgctl campaigns get cmp_1', 'show one campaign']],
        shown,
      }),
      [agentField],
    ),
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
      examples: [['msgctl campaigns update cmp_1 --status paused', 'fields you omit keep their value']],
      fields: ['name', ...fields],
      shown,
    }),
    deleteVerb({
      lookup: campaignLookup,
      endpoint: contract.deleteCampaign,
      examples: [['msgctl campaigns delete cmp_1 --yes', 'skip the confirmation']],
    }),
    withNamedFields(
      {
        ...shared,
        name: 'tags list',
        summary: 'List the tags of a campaign with their webhooks',
        examples: [
          ['msgctl campaigns tags list Spring', 'the webhooks that are called when a contact in its conversations receives a tag'],
        ],
        endpoint: contract.getCampaign,
        shown: { rows: 'tags', columns: tagColumns },
        run: async ({ targets, names }, [word = '']) => {
          const id = await names.id(campaignLookup, word);
          const { campaign } = await (await targets.client()).call(contract.getCampaign, { params: { id } });
          if (!campaign.tags) throw new CliError(exitCodes.notFound, 'not_found', 'The service does not support tags of campaigns');
          return wholeList('tags', campaign.tags);
        },
      },
      [tagField],
    ),
    callVerb({
      name: 'tags add',
      endpoint: contract.addCampaignTag,
      examples: [['msgctl campaigns tags add Spring VIP https://shop.example/vip', 'adding a tag again replaces its webhook']],
      arguments: [
        campaign,
        { field: 'tag_id', name: 'tag', summary: 'the id or the name of a tag', lookup: tagLookup },
        { field: 'webhook' },
      ],
      shown: { columns: [] },
      done: (_answer, [id, tag]) => `The campaign ${id} calls the webhook when a contact gets the tag ${tag}.`,
    }),
    callVerb({
      name: 'tags remove',
      endpoint: contract.removeCampaignTag,
      examples: [['msgctl campaigns tags remove Spring VIP', 'the tag and its contacts are kept']],
      arguments: [campaign, { param: 'tagId', name: 'tag', summary: 'the id or the name of a tag', lookup: tagLookup }],
      shown: { columns: [] },
      done: (_answer, [id, tag]) => `Removed the tag ${tag} from the campaign ${id}.`,
    }),
  ],
};
