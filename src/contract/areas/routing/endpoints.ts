import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { filledText, id, looseBody, phoneNumber, text } from '../../fields.ts';
import { entryPoint, entryPointFields } from './entry-point.ts';

const shared = { section: 'Entry Points', access: 'account' } as const;
const view = { ...shared, permission: 'campaigns.view' } as const;
const edit = { ...shared, permission: 'campaigns.edit' } as const;

const disabled = () => z.array(z.string());

export const setDefault = endpoint({
  ...edit,
  name: 'routing.setDefault',
  method: 'PUT',
  path: '/entry-points/channel-defaults',
  summary: 'Set which agent answers new contacts on a channel, or on one number of it',
  body: () =>
    z.object({
      channel: z.enum(channelNames).describe('the channel'),
      agent_id: text(200).describe('the agent; empty for nobody'),
      phone_number: phoneNumber().optional().describe('only for contacts who write to this connected number'),
    }),
  responses: { 200: () => z.object({ entry_point_id: z.string(), disabled_entry_point_ids: disabled() }) },
});

export const listDefaults = endpoint({
  ...view,
  name: 'routing.listDefaults',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/entry-points/channel-defaults',
  summary: 'List the channel defaults, newest first, with those that are retired',
  responses: { 200: () => z.object({ entry_points: z.array(entryPoint()) }) },
});

export const clearDefault = endpoint({
  ...edit,
  name: 'routing.clearDefault',
  method: 'DELETE',
  path: '/entry-points/channel-defaults',
  summary: 'Retire the defaults of a channel, or the one of a number',
  query: () =>
    z.object({
      channel: z.enum(channelNames).describe('the channel'),
      phone_number: phoneNumber().optional().describe('only the default of this number'),
    }),
  responses: { 200: () => z.object({ disabled_entry_point_ids: disabled() }) },
});

export const createRule = endpoint({
  ...edit,
  name: 'routing.createRule',
  method: 'POST',
  path: '/agents/{agentId}/entry-points',
  summary: 'Create a rule that routes to an agent',
  body: () => z.object(entryPointFields()),
  responses: { 201: () => z.object({ entry_point_id: z.string() }) },
  errors: [404],
});

export const listRules = endpoint({
  ...view,
  name: 'routing.listRules',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/agents/{agentId}/entry-points',
  summary: 'List the rules that route to an agent, newest first, with those that are retired',
  responses: { 200: () => z.object({ entry_points: z.array(entryPoint()) }) },
  errors: [404],
});

export const updateRule = endpoint({
  ...edit,
  name: 'routing.updateRule',
  method: 'PUT',
  path: '/entry-points/{entryPointId}',
  summary: 'Update fields of a rule; a dotted key such as match_config.keywords sets a part of one',
  body: () => {
    const { type, channels, ...fields } = entryPointFields();
    return looseBody({
      type: type.optional(),
      channels: channels.optional(),
      ...fields,
      agent_id: filledText(200).optional().describe('move the rule to this agent'),
    });
  },
  responses: { 200: () => z.object({ entry_point_id: z.string() }) },
  errors: [404],
});

export const deleteRule = endpoint({
  ...edit,
  name: 'routing.deleteRule',
  method: 'DELETE',
  path: '/entry-points/{entryPointId}',
  summary: 'Delete a rule',
  responses: { 200: () => z.object({ entry_point_id: z.string() }) },
  errors: [404],
});

export const routingStatus = endpoint({
  ...view,
  name: 'routing.status',
  method: 'GET',
  path: '/entry-points/routing-status',
  summary: 'Show whether entry points route this account',
  responses: { 200: () => z.object({ cutover_enabled: z.boolean() }) },
});

export const setChannelRouting = endpoint({
  ...edit,
  name: 'routing.setChannel',
  method: 'PUT',
  path: '/channel-routing/{channel}',
  summary: 'Let the agent of a campaign answer a channel (legacy)',
  body: () => z.object({ campaignId: id().nullable().describe('the campaign; null for none') }),
  responses: { 200: () => z.object({ channel: z.enum(channelNames), campaign_id: z.string().nullable() }) },
  errors: [404],
});

export const clearChannelRouting = endpoint({
  ...edit,
  name: 'routing.clearChannels',
  method: 'POST',
  path: '/channel-routing/clear',
  summary: 'Remove the default agent of channels (legacy)',
  body: () => z.object({ channels: z.array(z.enum(channelNames)).min(1).max(100).describe('the channels') }),
  responses: { 200: () => z.object({ released_channels: z.array(z.enum(channelNames)) }) },
});

export const routingEndpoints = [
  setDefault,
  listDefaults,
  clearDefault,
  createRule,
  listRules,
  updateRule,
  deleteRule,
  routingStatus,
  setChannelRouting,
  clearChannelRouting,
] as const;
