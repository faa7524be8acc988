import type { Noun } from '../verb/noun.ts';
import { type CliError, usageError } from '../errors.ts';
import { findNoun, nouns } from '../nouns.ts';
import { unknownWordError } from '../did-you-mean.ts';
import { helpHint, hintAbout } from './command-line-error.ts';
import { familiarNoun, familiarVerb } from './familiar-words.ts';
import { suggestion } from '../../contract/text/similarity.ts';
import { findVerb, nextWords } from '../verb/verbs.ts';

/**
 * The error for an unknown noun, with a suggestion of the intended command.
 * @param topics what else it can mean
 */
export async function unknownNounError(words: readonly string[], topics: readonly string[] = []): Promise<CliError> {
  const [noun = ''] = words;
  const names = [...nouns.map(({ name }) => name), ...topics];
  const swapped = await swappedWordsError(words);
  if (swapped) return swapped;
  const meant = (await familiarNoun(noun)) ?? suggestion(noun, names);
  return unknownWordError('command', noun, meant, hintAbout(noun, 'msgctl --help lists the commands.'));
}

/**
 * The error for an unknown verb, with a suggestion of the intended command.
 * @param words all words of the command line
 * @param group the words after the noun that are the beginning of known verbs
 */
export async function unknownVerbError(noun: Noun, words: readonly string[], group: readonly string[]): Promise<CliError> {
  const names = nextWords(noun, group).map(([name]) => name);
  const hint = helpHint([noun.name, ...group].join(' '));
  const word = words[group.length + 1] ?? '';
  return (
    (await swappedWordsError(words)) ??
    unknownWordError('command', word, familiarVerb(noun.name, word, names) ?? suggestion(word, names), hintAbout(word, hint))
  );
}

/** The error for `list contacts`, the word order of other programs, which suggests `contacts list`; undefined for other words. */
async function swappedWordsError([verbName = '', nounName = '']: readonly string[]): Promise<CliError | undefined> {
  const noun = await findNoun(nounName)?.load();
  const meant = noun && findVerb(noun, [verbName]);
  if (!meant || meant.verb.name === '') return undefined;
  return usageError(`Unknown command '${verbName} ${nounName}'; did you mean msgctl ${meant.words}?`, helpHint(meant.words));
}
