import type { OptionSpec } from '../verb/noun.ts';
import type { HelpRow } from './layout.ts';

/** An option's flags, and its summary with the allowed values, the default and whether it is required. */
export function optionRow({ flags, summary, choices = [], isRequired }: OptionSpec): HelpRow {
  return [flags, `${withChoices(summary, choices)}${isRequired ? ' (required)' : ''}`];
}

/** Adds the allowed values, unless the summary already mentions all of them. */
function withChoices(summary: string, choices: readonly string[]): string {
  const words = summary.split(/[^\w-]+/);
  if (choices.every((choice) => words.includes(choice))) return summary;
  const [, text = summary, defaultText] = /^(.*) \((default: [^()]*)\)$/.exec(summary) ?? [];
  return `${text} (${choices.join(', ')}${defaultText === undefined ? '' : `; ${defaultText}`})`;
}
