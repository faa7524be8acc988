import type { CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';

/** Turns an error of commander into the program's own. @param hint what to do about it */
export function commandLineError(error: CommanderError, hint: string): CliError {
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
    .replace(/ is invalid\. Allowed choices are (.*)\.$/, ': it must be one of $1')
    .replace(/ is invalid\. /, ': it ');
  return usageError(message.charAt(0).toUpperCase() + message.slice(1), hint);
}

/** Points to the help of a noun, of a group of its verbs, or of a verb. */
export function helpHint(words: string): string {
  return `Run 'msgctl ${words} --help' for usage.`;
}
