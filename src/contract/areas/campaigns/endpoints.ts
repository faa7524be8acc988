import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { id, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';

export const campaignStatuses = ['active', 'paused'] as const;

/** A tag of a campaign, with the address that is called when a contact in one of its conversations gets the tag. */
const campaignTag = () => z.object({ tag_id: z.string(), webhook: z.string() });

export type CampaignTag = z.output<ReturnType<typeof campaignTag>>;

const campaign = () =>
  z.object({
    id: recordId('cmp_'),
    name: z.string(),
    agent_id: z.string().nullable().describe('the id of the agent that answers'),
    channel: z.enum(channelNames).nullable(),
    outgoing_only: z.boolean(),
    status: z.enum(campaignStatuses),
    // Services without tags of campaigns omit them.
    tags: z.array(campaignTag()).max(limits.campaignTags).optional(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const fields = () => ({
  agent_id: id().nullable().optional().describe('the agent that answers'),
  channel: z.enum(channelNames).nullable().optional().describe('the channel of the campaign'),
  outgoing_only: z.boolean().optional().meta({ description: 'only send messages, do not answer', defaultText: 'false' }),
  status: z.enum(campaignStatuses).optional().meta({ description: 'the status of the campaign', defaultText: 'active' }),
});

const shared = { section: 'Campaigns', access: 'account' } as const;
const view = { ...shared, permission: 'campaigns.view' } as const;
const edit = { ...shared, permission: 'campaigns.edit' } as const;
const answer = { 200: () => z.object({ campaign: campaign() }) } as const;

export const listCampaigns = endpoint({
  ...view,
  name: 'campaigns.list',
  method: 'GET',
  path: '/campaigns',
  summary: 'List the campaigns, newest first',
  query: () => z.object(pageQuery()),
  rows: 'campaigns',
  responses: { 200: () => z.object({ campaigns: z.array(campaign()), next_cursor: nextCursor() }) },
});

export const createCampaign = endpoint({
  ...edit,
  name: 'campaigns.create',
  method: 'POST',
  path: '/campaigns',
  summary: 'Create a campaign',
  body: () => z.object({ name: name().describe('the name of the campaign'), ...fields() }),
  responses: { 201: () => z.object({ campaign: campaign() }) },
  errors: [404],
});

export const getCampaign = endpoint({
  ...view,
  name: 'campaigns.get',
  method: 'GET',
  path: '/campaigns/{id}',
  summary: 'Show a campaign',
  responses: answer,
  errors: [404],
});

export const updateCampaign = endpoint({
  ...edit,
  name: 'campaigns.update',
  method: 'PUT',
  path: '/campaigns/{id}',
  summary: 'Update a campaign',
  body: () => z.object({ name: name().optional().describe('the name of the campaign'), ...fields() }),
  responses: answer,
  errors: [404],
});

export const deleteCampaign = endpoint({
  ...edit,
  name: 'campaigns.delete',
  method: 'DELETE',
  path: '/campaigns/{id}',
  summary: 'Delete a campaign',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const addCampaignTag = endpoint({
  ...edit,
  name: 'campaigns.addTag',
  method: 'POST',
  path: '/campaigns/{id}/tags',
  summary: 'Call a webhook for a tag, when a contact in one of the conversations of a campaign gets it',
  body: () =>
    z.object({
      tag_id: id().describe('the id of the tag'),
      webhook: text(2_000).describe('the address to call when a contact gets the tag'),
    }),
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const removeCampaignTag = endpoint({
  ...edit,
  name: 'campaigns.removeTag',
  method: 'DELETE',
  path: '/campaigns/{id}/tags/{tagId}',
  summary: 'Remove a tag from a campaign; the tag and its contacts stay',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const campaignEndpoints = [
  listCampaigns,
  createCampaign,
  getCampaign,
  updateCampaign,
  deleteCampaign,
  addCampaignTag,
  removeCampaignTag,
] as const;
