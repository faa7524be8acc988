import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { listAgents } from '../../../contract/areas/agents/endpoints.ts';
import type { getSeries } from '../../../contract/areas/analytics/endpoints.ts';
import { listCampaigns } from '../../../contract/areas/campaigns/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Session } from '../../command/noun.ts';
import { other } from './rows.ts';

const readNames = {
  campaign: async (client: Client) => await client.all(listCampaigns, {}),
  agent: async (client: Client) => (await client.call(listAgents, { query: { fields: 'name' } })).agents,
};

type Series = Answer<typeof getSeries>;

/** The name of figures without a campaign or an agent. */
const none = '(none)';

/**
 * Replaces the ids of campaigns and agents in a series by names. Ids without a name are kept, and so are all of a kind that the
 * key may not read; if a name is not unique, the id is added. Figures without a campaign or an agent have the name `(none)`.
 */
export async function nameSeries(answer: Series, { targets, notes }: Session): Promise<Series> {
  const client = await targets.client();
  const names = new Map<string, string | null>();
  for (const group of ['campaign', 'agent'] as const) {
    if (!answer.group_by.includes(group)) continue;
    try {
      for (const { id, name } of await readNames[group](client)) names.set(id, name ?? null);
    } catch (error) {
      if (!(error instanceof InterfaceError && error.status === 403)) throw error;
      notes.say(`The ${group}s have their ids: this key may not read the names.`);
    }
  }
  // A campaign can have a name that means something else here.
  const uses = Map.groupBy([...names.values(), none, other], (name) => name);
  const toName = (id: string | null | undefined) => {
    if (id === null || id === undefined) return none;
    const name = names.get(id) ?? null;
    if (name === null) return id;
    return uses.get(name)?.length === 1 ? name : `${name} (${id})`;
  };
  return {
    ...answer,
    series: answer.series.map((series) => {
      const { campaign, agent } = series.key;
      const key = {
        ...series.key,
        ...(campaign !== undefined && { campaign: toName(campaign) }),
        ...(agent !== undefined && { agent: toName(agent) }),
      };
      return { ...series, key };
    }),
  };
}
