import type { OptionSpec } from '../command/noun.ts';
import type { Row } from './layout.ts';

/** The flags of an option, and its summary with the values it can have and whether it is required. */
export function optionRow({ flags, summary, choices, isRequired }: OptionSpec): Row {
  const values = choices ? ` (${choices.join(', ')})` : '';
  return [flags, `${summary}${values}${isRequired ? ' (required)' : ''}`];
}
