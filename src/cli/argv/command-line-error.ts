import type { CommanderError } from 'commander';
import { type CliError, usageError } from '../errors.ts';
import { maskSecrets } from '../../contract/secret.ts';
import { suggestion } from '../../contract/text/similarity.ts';
import { unknownWordError } from '../did-you-mean.ts';
import { capitalize } from '../output/capitalize.ts';
import { familiarOption } from './familiar-words.ts';

/**
 * Converts an error of the commander library.
 * @param names the long names of the options, without dashes
 * @param hint how to solve the problem
 * @param takesWords whether a word in the place of an unknown option would be an argument
 * @param optionWith the option that has a word as one of its values, such as `--state open`
 */
export function commandLineError(
  error: CommanderError,
  names: readonly string[],
  hint: string,
  takesWords = false,
  optionWith: (word: string) => string | undefined = () => undefined,
): CliError {
  // Omits the value of an unknown option, which could be a secret.
  // oxlint-disable-next-line project/restricted-syntax -- commander names the option only in its text
  const [, unknown] = /unknown option '(--?[^=]*).*'$/s.exec(error.message) ?? [];
  if (unknown !== undefined) return unknownOptionError(unknown, names, hint, takesWords, optionWith);
  // oxlint-disable-next-line project/restricted-syntax -- commander's prefix and ending
  const message = error.message.replace(/^error: /, '').replace(/ argument missing$/, ' needs a value');
  return usageError(capitalize(message), hint);
}

function unknownOptionError(
  name: string,
  names: readonly string[],
  hint: string,
  takesWords: boolean,
  optionWith: (word: string) => string | undefined,
): CliError {
  if (name === '--api-key') return usageError(`Unknown option '${name}'`, keyHint);
  const word = name.replace(/^-+/, '');
  // Commander calls a flag unknown if it is given with a value.
  if (name.startsWith('--') && names.includes(word)) return flagWithValueError(word, names, hint);
  const nearest = suggestion(word, names) ?? onlyContaining(word, names);
  const known = familiarOption(name, names) ?? optionWith(word) ?? (nearest && `--${nearest}`);
  const isValue = known === undefined && takesWords;
  return unknownWordError('option', name, known, hintAbout(name, isValue ? `To use it as a value, write -- before it. ${hint}` : hint));
}

/** The only name that has a word as one of its parts, such as `sub-account` for `account`. */
function onlyContaining(word: string, names: readonly string[]): string | undefined {
  const found = [...new Set(names)].filter((name) => `-${name}-`.includes(`-${word}-`));
  return word !== '' && found.length === 1 ? found[0] : undefined;
}

function flagWithValueError(flag: string, names: readonly string[], hint: string): CliError {
  const opposite = flag.startsWith('no-') ? flag.slice('no-'.length) : `no-${flag}`;
  return usageError(`--${flag} takes no value`, names.includes(opposite) ? `Write --${opposite} for the opposite.` : hint);
}

const keyHint =
  'No command takes a key as an argument, because logs keep it. Set MSGCTL_API_KEY, or pipe the key to `msgctl login --api-key-stdin`.';

/** The hint for an unexpected word. If the word looks like a secret, warns about that. */
export function hintAbout(word: string, hint: string): string {
  return maskSecrets(word) === word ? hint : keyHint;
}

/** Refers to the help of a noun, a group of verbs, or a verb. */
export function helpHint(words: string): string {
  return `Run 'msgctl ${words} --help' for usage.`;
}
