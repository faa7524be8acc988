import { limits } from '../../../contract/limits.ts';
import { customFunctions, type CustomFunction } from './table.ts';
import type { Attachable } from './attached.ts';

/** The functions that agents may call. */
export const functionsOfAgents: Attachable<CustomFunction> = {
  records: customFunctions,
  record: 'custom_function',
  links: 'agent_functions',
  column: 'function_id',
  most: limits.agentFunctions,
  plural: 'custom functions',
};

/** A function as answers show it. */
export function functionRecord(row: CustomFunction) {
  const { created_at, updated_at, ...fields } = customFunctions.show(row);
  return { ...fields, signing_enabled: row.signing_secret !== null, created_at, updated_at };
}
