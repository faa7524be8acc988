import type { OptionSpec } from '../command/noun.ts';
import type { Row } from './layout.ts';

/** The flags of an option, and its summary with the values it can have, its default and whether it is required. */
export function optionRow({ flags, summary, choices = [], isRequired }: OptionSpec): Row {
  return [flags, `${withChoices(summary, choices)}${isRequired ? ' (required)' : ''}`];
}

/** The choices stand beside the default. They are left out where the summary names all of them. */
function withChoices(summary: string, choices: readonly string[]): string {
  const words = summary.split(/[^\w-]+/);
  if (choices.every((choice) => words.includes(choice))) return summary;
  const [, text = summary, defaultText] = /^(.*) \((default: [^()]*)\)$/.exec(summary) ?? [];
  return `${text} (${choices.join(', ')}${defaultText === undefined ? '' : `; ${defaultText}`})`;
}
