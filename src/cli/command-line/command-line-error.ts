import type { CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { suggestion } from '../../contract/similarity.ts';

/** Turns an error of commander into the program's own. @param hint what to do about it */
export function commandLineError(error: CommanderError, hint: string): CliError {
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
    .replace(/ is invalid\. Allowed choices are (.*)\.$/, ': it must be one of $1')
    .replace(/ is invalid\. /, ': it ');
  const [, given = '', choices = ''] = /argument '(.*)' is invalid\. Allowed choices are (.*)\./s.exec(error.message) ?? [];
  const nearest = suggestion(given, choices.split(', '));
  return usageError(message.charAt(0).toUpperCase() + message.slice(1), nearest ? `Did you mean '${nearest}'? ${hint}` : hint);
}

/** Points to the help of a noun, of a group of its verbs, or of a verb. */
export function helpHint(words: string): string {
  return `Run 'msgctl ${words} --help' for usage.`;
}
