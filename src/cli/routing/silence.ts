import type { Client } from '../../client/client.ts';
import type { AgentRecord } from '../../contract/areas/agents/agent.ts';
import { getAgent } from '../../contract/areas/agents/endpoints.ts';
import { isAvailable } from '../../contract/areas/agents/availability.ts';
import { getHealth } from '../../contract/areas/health/endpoints.ts';
import { isTimezone } from '../../contract/time/timezones.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { readAtOnce } from './entry-points.ts';

/** Why the chosen agent does not respond. */
export interface Silence {
  readonly state: 'inactive' | 'closed';
  /** A sentence without its period. */
  readonly reason: string;
}

/**
 * Why an agent does not respond at a given time; null if it does.
 * @param now in epoch milliseconds
 */
function whySilent({ id, name, active, availability = {}, timezone = 'UTC' }: AgentRecord, now: number): Silence | null {
  const who = name ?? id;
  if (active === false) return { state: 'inactive', reason: `${who} is inactive, so it sends nothing` };
  // A service may know time zones that this program does not.
  if (!isTimezone(timezone) || isAvailable(availability, timezone, now)) return null;
  return { state: 'closed', reason: `${who} is closed now (${localTime(timezone, now)}, ${timezone}), so it sends nothing` };
}

/** The local time, such as `Monday 13:00`. */
function localTime(timeZone: string, now: number): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(now);
}

/**
 * Why agents do not respond now, by agent id, according to the service's clock. Agents that do respond are left out. Opening
 * hours need a request per agent, because summaries do not include them.
 */
export async function readSilences(client: Client, agentIds: Iterable<string>): Promise<ReadonlyMap<string, Silence>> {
  const ids = [...new Set(agentIds)];
  if (ids.length === 0) return new Map();
  const now = Date.parse((await client.call(getHealth, {})).time);
  const query = { fields: 'name,active,availability,timezone' };
  const silences = await inParallel(ids, readAtOnce, async (agentId) => {
    const { agent } = await client.call(getAgent, { params: { agentId }, query });
    return [agentId, whySilent(agent, now)] as const;
  });
  return new Map(silences.flatMap(([id, silence]) => (silence ? [[id, silence]] : [])));
}
