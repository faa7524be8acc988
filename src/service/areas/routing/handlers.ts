import { type ChannelName, channelNames } from '../../../contract/areas/channels/names.ts';
import { entryPointFields } from '../../../contract/areas/routing/entry-point.ts';
import { checkNotEmpty, invalidField } from '../../errors.ts';
import { readDotted, withDotted } from '../../http/dotted.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import { hasAgent, requireAgent } from '../agents/records.ts';
import { campaigns } from '../campaigns/table.ts';
import { ownNumber } from '../channels/records.ts';
import { readNumber, readNumberInPath } from '../contacts/address.ts';
import { noteRuleChange } from '../rule-changes/rule-changes.ts';
import {
  changeEntryPoint,
  checkConnected,
  createEntryPoint,
  entryPointRecord,
  findDefault,
  listEntryPoints,
  retireDefaults,
  withOwnNumber,
} from './records.ts';
import { checkChannels, checkMatching } from './rules.ts';
import { entryPoints } from './table.ts';

/** The names of the fields that an update can set. Their schemas are made on first use. */
const settableFields = (): ReadonlySet<string> => new Set([...Object.keys(entryPointFields()), 'agent_id']);

/** Loads the library of numbering plans before the transaction, which must not wait for it. */
const loadNumbers = async () => (await import('../../../contract/areas/contacts/phone-numbers.ts')).readPhoneNumber;

export const routingHandlers: AreaHandlers<'routing'> = {
  'routing.setDefault': preparedHandler(
    async ({ body }) => (body.phone_number === undefined ? undefined : await readNumber(body.phone_number)),
    async ({ db, account, body, now }, phone) => {
      const { channel, agent_id: agentId } = body;
      const number = phone ? await ownNumber(db, account.id, channel, phone) : '';
      // Other endpoints answer 404 for an agent of another account (rule routing.5).
      if (agentId !== '' && !(await hasAgent(db, account.id, agentId))) throw invalidField('agent_id', 'the account has no such agent');
      await checkConnected(db, account.id, { default_channel: channel, default_number: number }, 'phone_number');
      const inForce = await findDefault(db, account.id, channel, number);
      if (inForce?.agent_id === agentId) return { entry_point_id: inForce.id, disabled_entry_point_ids: [] };
      const match_config = number === '' ? {} : { phone_numbers: [number] };
      const fields = { type: 'channel_default', channels: [channel], agent_id: agentId, match_config, enabled: true } as const;
      const { entryPoint, disabled } = await createEntryPoint(db, account.id, fields, now);
      return { entry_point_id: entryPoint.id, disabled_entry_point_ids: disabled };
    },
  ),

  'routing.listDefaults': ownTransactionsHandler(async ({ service, account }) => ({
    entry_points: (await listEntryPoints(service, account.id, { type: 'channel_default' })).map(entryPointRecord),
  })),

  'routing.clearDefault': preparedHandler(
    async ({ query }) => (query.phone_number === undefined ? null : await readNumberInPath(query.phone_number)),
    async ({ db, account, query: { channel }, now }, phone) => {
      const number = phone && (await ownNumber(db, account.id, channel, phone));
      return { disabled_entry_point_ids: await retireDefaults(db, account.id, { default_channel: channel, default_number: number }, now) };
    },
  ),

  'routing.createRule': preparedHandler(
    async ({ body }) => {
      const { type, channels, match_config } = body;
      return checkMatching({ type, channels, match_config }, await loadNumbers());
    },
    async ({ db, account, params, body, now }, matching) => {
      await requireAgent(db, account.id, params.agentId);
      const { enabled = true, first_response_mode, first_response_exact_text, public_comment_reply_exact_text } = body;
      const responses = entryPoints.read({ first_response_mode, first_response_exact_text, public_comment_reply_exact_text });
      const fields = { ...(await withOwnNumber(db, account.id, matching)), ...responses, agent_id: params.agentId, enabled };
      return { entry_point_id: (await createEntryPoint(db, account.id, fields, now)).entryPoint.id };
    },
  ),

  'routing.listRules': ownTransactionsHandler(async ({ service, account, params }) => {
    await service.store.read((db) => requireAgent(db, account.id, params.agentId));
    return { entry_points: (await listEntryPoints(service, account.id, { agent_id: params.agentId })).map(entryPointRecord) };
  }),

  'routing.updateRule': preparedHandler(
    async ({ body }) => {
      const settable = settableFields();
      const dotted = readDotted(body, settable, ['match_config']);
      if (dotted.length === 0) checkNotEmpty(Object.fromEntries(Object.entries(body).filter(([name]) => settable.has(name))));
      const read = await loadNumbers();
      const { type, channels, match_config } = body;
      if (type !== undefined && channels !== undefined) {
        if (match_config === undefined) checkChannels(type, channels);
        else if (dotted.length === 0) checkMatching({ type, channels, match_config }, read);
      }
      return { dotted, read };
    },
    async ({ db, account, params, body, now }, { dotted, read }) => {
      const { type, channels, match_config, enabled, agent_id } = body;
      const { first_response_mode, first_response_exact_text, public_comment_reply_exact_text } = body;
      const before = await entryPoints.require(db, account.id, params.entryPointId);
      if (agent_id !== undefined) await requireAgent(db, account.id, agent_id);
      const config = dotted.reduce<unknown>(withDotted, match_config ?? before.match_config);
      const isMatchingChanged = type !== undefined || channels !== undefined || match_config !== undefined || dotted.length > 0;
      const wanted = { type: type ?? before.type, channels: channels ?? before.channels, match_config: config };
      const change = {
        ...(isMatchingChanged && (await withOwnNumber(db, account.id, checkMatching(wanted, read)))),
        ...(enabled !== undefined && { enabled }),
        // A default that is assigned to an agent no longer follows its campaign.
        ...(agent_id !== undefined && { agent_id, campaign_id: null }),
        ...entryPoints.read({ first_response_mode, first_response_exact_text, public_comment_reply_exact_text }),
      };
      await changeEntryPoint(db, before, change, now);
      return { entry_point_id: before.id };
    },
  ),

  'routing.deleteRule': async ({ db, account, params }) => {
    await entryPoints.delete(db, account.id, params.entryPointId);
    await noteRuleChange(db, account.id);
    return { entry_point_id: params.entryPointId };
  },

  'routing.status': async () => ({ cutover_enabled: true }),

  'routing.setChannel': async ({ db, account, params, body, now }) => {
    const { channel: name } = params;
    if (!isChannel(name)) throw invalidField('channel', `must be one of ${channelNames.join(', ')}`);
    const { campaignId } = body;
    const scope = { default_channel: name, default_number: '' };
    if (campaignId === null) await retireDefaults(db, account.id, scope, now);
    else {
      const campaign = await campaigns.require(db, account.id, campaignId);
      if (campaign.outgoing_only) throw invalidField('campaignId', 'the campaign only sends messages');
      const { agent_id: agentId } = campaign;
      if (agentId === null) throw invalidField('campaignId', 'the campaign has no agent, so nobody would answer: give it one first');
      const inForce = await findDefault(db, account.id, name, '');
      const fields = { type: 'channel_default', channels: [name], match_config: {}, enabled: true } as const;
      if (inForce?.campaign_id !== campaign.id)
        await createEntryPoint(db, account.id, { ...fields, agent_id: agentId, campaign_id: campaign.id }, now);
    }
    return { channel: name, campaign_id: campaignId };
  },

  'routing.clearChannels': async ({ db, account, body, now }) => {
    const released: ChannelName[] = [];
    for (const channel of new Set(body.channels)) {
      const inForce = await findDefault(db, account.id, channel, '');
      if (!inForce) continue;
      await retireDefaults(db, account.id, { default_channel: channel, default_number: '' }, now);
      if (inForce.agent_id !== '') released.push(channel);
    }
    return { released_channels: released };
  },
};

function isChannel(name: string): name is ChannelName {
  return channelNames.some((each) => each === name);
}
