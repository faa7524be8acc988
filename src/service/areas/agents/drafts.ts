import { ApiError } from '../../errors.ts';
import type { AgentFields } from './changes.ts';
import type { Agent } from './table.ts';

/**
 * What publishing an agent's draft sets, with the field names in alphabetical order, and what it replaces.
 * @throws ApiError 500 when there is no draft
 */
export function publishable(agent: Agent): { fields: AgentFields; keys: string[]; previous: Readonly<Record<string, unknown>> } {
  const { draft } = agent;
  if (draft === null) throw new ApiError(500, 'The agent has no draft to publish');
  const keys = Object.keys(draft).sort();
  return { fields: draft, keys, previous: Object.fromEntries(keys.map((key) => [key, agent[key as keyof Agent] ?? null])) };
}
