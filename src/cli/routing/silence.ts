import type { Client } from '../../client/client.ts';
import type { AgentRecord } from '../../contract/areas/agents/agent.ts';
import { getAgent } from '../../contract/areas/agents/endpoints.ts';
import { isAvailable } from '../../contract/areas/agents/availability.ts';
import { getHealth } from '../../contract/areas/health/endpoints.ts';
import { isTimezone } from '../../contract/timezones.ts';
import { inParallel } from '../../client/in-parallel.ts';
import { readAtOnce } from './entry-points.ts';

/** Why an agent that was chosen sends nothing. */
export interface Silence {
  readonly state: 'inactive' | 'closed';
  /** A sentence without its full stop. */
  readonly reason: string;
}

/**
 * Why an agent sends nothing at an instant; null when it may answer.
 * @param now in epoch milliseconds
 */
export function whySilent({ id, name, active, availability = {}, timezone = 'UTC' }: AgentRecord, now: number): Silence | null {
  const who = name ?? id;
  if (active === false) return { state: 'inactive', reason: `${who} is inactive, so it sends nothing` };
  // A service may know zones that this program does not.
  if (!isTimezone(timezone) || isAvailable(availability, timezone, now)) return null;
  return { state: 'closed', reason: `${who} is closed now (${localTime(timezone, now)}, ${timezone}), so it sends nothing` };
}

/** The local time, such as `Monday 13:00`. */
function localTime(timeZone: string, now: number): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(now);
}

/**
 * Why agents send nothing now, by their ids, by the service's clock. Those that may answer are left out. The hours are read one
 * agent at a time: a summary does not have them.
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
