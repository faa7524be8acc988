import { ApiError } from '../../errors.ts';
import type { AgentFields } from './changes.ts';
import type { Agent } from './table.ts';

/**
 * What publishing an agent's draft sets, with the field names in alphabetical order. @throws ApiError 500 when there is no draft
 */
export function publishable({ draft }: Agent): { fields: AgentFields; keys: string[] } {
  if (draft === null) throw new ApiError(500, 'The agent has no draft to publish');
  return { fields: draft, keys: Object.keys(draft).sort() };
}
