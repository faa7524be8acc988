import * as z from 'zod';
import { createCampaign, deleteCampaign, getCampaign, listCampaigns, updateCampaign } from '../../contract/areas/campaigns/endpoints.ts';
import { fieldsOfRow } from './rows.ts';
import type { IdOf, Kind, Rows } from '../kind.ts';
import { once, reference, requestFields } from '../schema.ts';
import type { Fields } from '../values.ts';

const requested = once(() => requestFields(updateCampaign, ['agent_id']));

/** Campaigns, except those that belong to a single agent. */
export const campaigns: Kind = {
  name: 'campaigns',
  noun: 'campaign',
  step: 3,
  file: 'campaigns.yaml',
  schema: () => z.strictObject({ ...requested(), agent: reference('the agent that answers').nullable().optional() }),
  key: ['name'],
  references: { agent: 'agents' },
  endpoints: [listCampaigns, createCampaign, getCampaign, updateCampaign, deleteCampaign],
  list: (client) => client.all(listCampaigns, {}),
  get: async (client, id) => (await client.call(getCampaign, { params: { id } })).campaign,
  leavesOut: ({ id }, rows) => ownerOf(id, rows) !== undefined,
  otherName: ({ id }, rows) => ownerOf(id, rows),
  idOf: ({ id }) => id as string,
  fields: (row, nameOf) => [
    {
      ...fieldsOfRow(row, Object.keys(requested())),
      ...(typeof row.agent_id === 'string' && { agent: nameOf('agents', row.agent_id) }),
    },
  ],
  create: async ({ client, fields, idOf }) => ({ id: (await client.call(createCampaign, { body: bodyOf(fields, idOf) })).campaign.id }),
  update: async ({ client, fields, idOf, live: { id } }) => {
    await client.call(updateCampaign, { params: { id }, body: bodyOf(fields, idOf) });
    return undefined;
  },
  remove: async ({ client, live: { id } }) => {
    await client.call(deleteCampaign, { params: { id } });
  },
};

/** The name of the agent that a campaign belongs to. */
function ownerOf(id: unknown, rows: Rows): string | undefined {
  return (rows.get('agents') ?? []).find((agent) => agent.substrate_campaign_id === id)?.name as string | undefined;
}

function bodyOf({ agent, ...fields }: Fields, idOf: IdOf): Fields {
  return { ...fields, ...(agent !== undefined && { agent_id: agent === null ? null : idOf('agents', agent as string) }) };
}
