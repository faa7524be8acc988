import type { InterfaceError } from '../../../client/errors.ts';
import { getBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import { getCampaign } from '../../../contract/areas/campaigns/endpoints.ts';
import type { Session } from '../../verb/noun.ts';
import { shellWord } from '../../output/shell-word.ts';
import { CliError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { readAgents, readEntryPoints } from '../../routing/entry-points.ts';
import { describeRule } from '../../routing/words.ts';

/** The error for a deletion that is blocked. It lists what blocks it and how to detach that. */
export async function namingBlockers(error: InterfaceError, { targets }: Session): Promise<CliError> {
  const client = await targets.client();
  const ids = (field: string) => (error.details[field] as readonly string[] | undefined) ?? [];
  const [campaigns, broadcasts, rules] = await Promise.all([
    Promise.all(ids('blocking_campaign_ids').map(async (id) => (await client.call(getCampaign, { params: { id } })).campaign.name)),
    Promise.all(ids('blocking_broadcast_ids').map(async (id) => (await client.call(getBroadcast, { params: { id } })).broadcast.name)),
    describeRules(ids('blocking_entry_point_ids')),
  ]);
  const lines = [
    ...campaigns.map((name) => `The campaign '${name}': msgctl campaigns update ${shellWord(name)} --agent ''`),
    ...broadcasts.map((name) => `The broadcast '${name}': msgctl broadcasts delete ${shellWord(name)}`),
    ...rules,
  ];
  return toCliError(error).with({ hint: lines });

  async function describeRules(blocking: readonly string[]): Promise<string[]> {
    if (blocking.length === 0) return [];
    const all = await readEntryPoints(client, await readAgents(client));
    return all
      .filter(({ id }) => blocking.includes(id))
      .map((rule) => {
        const where = rule.channels.join(', ');
        const [number] = (rule.match_config.phone_numbers as readonly string[] | undefined) ?? [];
        const only = number === undefined ? '' : ` --phone-number ${shellWord(number)}`;
        return rule.type === 'channel_default'
          ? `The ${describeRule(rule)} on ${where}: msgctl routing defaults clear ${shellWord(where)}${only}`
          : `The rule for ${describeRule(rule)} on ${where}: msgctl routing rules delete ${shellWord(rule.id)}`;
      });
  }
}
