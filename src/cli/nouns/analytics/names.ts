import { listAgents } from '../../../contract/areas/agents/endpoints.ts';
import type { getSeries } from '../../../contract/areas/analytics/endpoints.ts';
import { listCampaigns } from '../../../contract/areas/campaigns/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Session } from '../../command/noun.ts';

type Series = Answer<typeof getSeries>;

/**
 * Replaces the ids of campaigns and agents in a series by names. Ids without a name are kept; if a name is not unique, the id
 * is added.
 */
export async function nameSeries(answer: Series, { targets }: Session): Promise<Series> {
  const client = await targets.client();
  const names = new Map<string, string | null>();
  if (answer.group_by.includes('campaign')) for (const { id, name } of await client.all(listCampaigns, {})) names.set(id, name);
  if (answer.group_by.includes('agent')) {
    const { agents } = await client.call(listAgents, { query: { fields: 'name' } });
    for (const { id, name } of agents) names.set(id, name ?? null);
  }
  const uses = Map.groupBy(names.values(), (name) => name);
  const toName = (id: string | null | undefined) => {
    const name = id === null || id === undefined ? null : names.get(id);
    if (name === null || name === undefined) return id;
    return uses.get(name)?.length === 1 ? name : `${name} (${id ?? ''})`;
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
