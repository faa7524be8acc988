import * as z from 'zod';
import type { Caller } from '../../contract/call.ts';
import {
  addCampaignTag,
  createCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
  removeCampaignTag,
  updateCampaign,
} from '../../contract/areas/campaigns/endpoints.ts';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import { limits } from '../../contract/limits.ts';
import { fieldsOfRow } from './rows.ts';
import type { IdOf, Kind, LeftOut, Rows } from '../kind.ts';
import { once, receiverUrl, reference, requestFields } from './schema.ts';
import { type Fields, isFields } from '../values.ts';

const campaignTag = () =>
  z.strictObject({
    tag: reference('the tag'),
    webhook: receiverUrl().describe('the address to call when a contact in a conversation of the campaign receives the tag'),
  });

const requested = once(() => requestFields(updateCampaign, ['agent_id']));

/** Campaigns, except those that belong to a single agent. */
export const campaigns: Kind = {
  name: 'campaigns',
  noun: 'campaign',
  file: 'campaigns.yaml',
  schema: () =>
    z.strictObject({
      ...requested(),
      agent: reference('the agent that answers').nullable().optional(),
      tags: z.array(campaignTag()).max(limits.campaignTags).optional().describe('the tags whose webhooks are called'),
    }),
  normalise: (fields) => ({
    ...fields,
    ...(Array.isArray(fields.tags) && {
      tags: fields.tags.filter(isFields).toSorted((a, b) => compareTexts(String(a.tag), String(b.tag))),
    }),
  }),
  endpoints: [listCampaigns, createCampaign, getCampaign, updateCampaign, deleteCampaign, addCampaignTag, removeCampaignTag],
  identity: { key: ['name'] },
  references: { fields: { agent: 'agents', 'tags.tag': 'tags' } },
  reading: {
    list: (client) => client.all(listCampaigns, {}),
    get: async (client, id) => (await client.call(getCampaign, { params: { id } })).campaign,
    leavesOut: ({ id }, rows) => ownerOf(id, rows),
    fields: (row, nameOf) => [
      {
        ...fieldsOfRow(row, Object.keys(requested())),
        ...(typeof row.agent_id === 'string' && { agent: nameOf('agents', row.agent_id) }),
        ...(Array.isArray(row.tags) && {
          tags: row.tags.filter(isFields).map((each) => ({ tag: nameOf('tags', each.tag_id as string), webhook: each.webhook })),
        }),
      },
    ],
    addresses: ['webhook'],
  },
  writing: {
    step: 3,
    create: async ({ client, fields, idOf }) => ({ id: (await client.call(createCampaign, { body: bodyOf(fields, idOf) })).campaign.id }),
    completion: {
      fields: ['tags'],
      write: async ({ client, fields, idOf, id }) => await setTags(client, id, [], fields.tags, idOf),
    },
    update: async ({ client, fields, idOf, live: { id, fields: before } }) => {
      const body = bodyOf(fields, idOf);
      if (Object.keys(body).length > 0) await client.call(updateCampaign, { params: { id }, body });
      if ('tags' in fields) await setTags(client, id, before.tags, fields.tags, idOf);
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteCampaign, { params: { id } });
    },
  },
};

/** The name of the agent that a campaign belongs to, by which records refer to it; undefined if it is a campaign of its own. */
function ownerOf(id: unknown, rows: Rows): LeftOut | undefined {
  const agent = (rows.get('agents') ?? []).find((each) => each.substrate_campaign_id === id);
  return agent && { name: agent.name as string };
}

/** Adds the tags that a campaign lacks or that call another address, and removes those that it should not have. */
async function setTags(client: Caller, id: string, before: unknown, after: unknown, idOf: IdOf): Promise<void> {
  const tagsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isFields) : []);
  const [old, wanted] = [tagsIn(before), tagsIn(after)];
  // First removed, so that no limit is met in between.
  for (const { tag } of old)
    if (!wanted.some((each) => each.tag === tag))
      await client.call(removeCampaignTag, { params: { id, tagId: idOf('tags', tag as string) } });
  for (const { tag, webhook } of wanted)
    if (!old.some((each) => each.tag === tag && each.webhook === webhook))
      await client.call(addCampaignTag, { params: { id }, body: { tag_id: idOf('tags', tag as string), webhook: webhook as string } });
}

function bodyOf({ agent, tags: _, ...fields }: Fields, idOf: IdOf): Fields {
  return { ...fields, ...(agent !== undefined && { agent_id: agent === null ? null : idOf('agents', agent as string) }) };
}
