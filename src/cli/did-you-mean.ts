import { suggestion } from '../contract/text/similarity.ts';
import { type CliError, usageError } from './errors.ts';

/** The hint that names the known word that a misspelled one most likely means; undefined if none is similar. */
export function didYouMean(given: string, known: readonly string[]): string | undefined {
  const nearest = suggestion(given, known);
  return nearest === undefined ? undefined : `Did you mean '${nearest}'?`;
}

/** The hint that lists the known words, and the nearest one: `Known fields: id, name`. */
export function knownWords(what: string, given: string, known: readonly string[]): string[] {
  return [`${what}: ${known.join(', ')}`, didYouMean(given, known) ?? []].flat();
}

/** The error for an unknown word. @param meant the word that was probably meant; undefined if none is similar */
export function unknownWordError(what: string, word: string, meant: string | undefined, hint: string): CliError {
  return usageError(`Unknown ${what} '${word}'${meant === undefined ? '' : `; did you mean ${meant}?`}`, hint);
}

/** The error for a word that is none of a few: `Unknown shell 'bsah'; did you mean bash?` */
export function unknownChoiceError(what: string, word: string, known: readonly string[]): CliError {
  return unknownWordError(what, word, suggestion(word, known), `Known ${what}s: ${known.join(', ')}`);
}
