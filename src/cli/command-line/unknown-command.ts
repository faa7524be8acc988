import { CommanderError } from 'commander';
import type { Noun } from '../command/noun.ts';
import { type CliError, usageError } from '../errors.ts';
import { findNoun, nouns } from '../nouns.ts';
import { commandLineError, helpHint } from './command-line-error.ts';
import { quietProgram } from './program.ts';
import { findVerb, nextWords } from '../command/verbs.ts';

/** The error for words whose first is no noun. It suggests the command that was meant. */
export async function unknownNounError(words: readonly string[]): Promise<CliError> {
  const [noun = ''] = words;
  const names = nouns.map(({ name }) => name);
  return (await swappedWordsError(words)) ?? (await similarWordError(noun, names, 'msgctl --help lists the commands.'));
}

/**
 * The error for a noun with an unknown verb. It suggests the command that was meant.
 * @param words all words of the command line
 * @param group the words after the noun that begin verbs of it
 */
export async function unknownVerbError(noun: Noun, words: readonly string[], group: readonly string[]): Promise<CliError> {
  const names = nextWords(noun, group).map(([name]) => name);
  const hint = helpHint([noun.name, ...group].join(' '));
  return (await swappedWordsError(words)) ?? (await similarWordError(words[group.length + 1] ?? '', names, hint));
}

/** The error for `list contacts`, which other programs call what msgctl calls `contacts list`; undefined for other words. */
async function swappedWordsError([verbName = '', nounName = '']: readonly string[]): Promise<CliError | undefined> {
  const noun = await findNoun(nounName)?.load();
  const meant = noun && findVerb(noun, [verbName]);
  if (!meant || meant.verb.name === '') return undefined;
  return usageError(`Unknown command '${verbName} ${nounName}'; did you mean msgctl ${meant.words}?`, helpHint(meant.words));
}

/** The error for an unknown word, with the most similar names, as commander finds them. */
async function similarWordError(word: string, names: readonly string[], hint: string): Promise<CliError> {
  const program = quietProgram();
  for (const name of names) program.command(name);
  try {
    await program.parseAsync([word], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return commandLineError(error, hint);
    throw error;
  }
  return usageError(`Unknown command '${word}'`, hint);
}
