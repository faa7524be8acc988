import type { CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { maskSecrets } from '../../contract/secret.ts';
import { suggestion } from '../../contract/similarity.ts';

/**
 * Turns an error of commander into the program's own.
 * @param names the long names of the options, without dashes
 * @param hint what to do about it
 */
export function commandLineError(error: CommanderError, names: readonly string[], hint: string): CliError {
  // The value of an option that is not known may be a secret.
  const [, unknown] = /unknown option '(--?[^=]*).*'$/s.exec(error.message) ?? [];
  if (unknown !== undefined) return unknownOptionError(unknown, names, hint);
  const message = error.message
    .replace(/^error: /, '')
    .replace(/ is invalid\. Allowed choices are (.*)\.$/, ': it must be one of $1')
    .replace(/ is invalid\. /, ': it ');
  const [, given = '', choices = ''] = /argument '(.*)' is invalid\. Allowed choices are (.*)\./s.exec(error.message) ?? [];
  const nearest = suggestion(given, choices.split(', '));
  return usageError(message.charAt(0).toUpperCase() + message.slice(1), nearest ? `Did you mean '${nearest}'? ${hint}` : hint);
}

function unknownOptionError(name: string, names: readonly string[], hint: string): CliError {
  if (name === '--api-key') return usageError(`Unknown option '${name}'`, keyHint);
  const nearest = suggestion(name.replace(/^-+/, ''), names);
  return unknownWordError('option', name, nearest && `--${nearest}`, hint);
}

/** The error for a word that is not known, with the one that was perhaps meant. */
export function unknownWordError(what: string, word: string, meant: string | undefined, hint: string): CliError {
  return usageError(`Unknown ${what} '${word}'${meant === undefined ? '' : `; did you mean ${meant}?`}`, hintAbout(word, hint));
}

const keyHint =
  'No command takes a key as an argument, because logs keep it. Set MSGCTL_API_KEY, or pipe the key to `msgctl login --api-key-stdin`.';

/** What to do about a word that was not expected. */
export function hintAbout(word: string, hint: string): string {
  return maskSecrets(word) === word ? hint : keyHint;
}

/** Points to the help of a noun, of a group of its verbs, or of a verb. */
export function helpHint(words: string): string {
  return `Run 'msgctl ${words} --help' for usage.`;
}
