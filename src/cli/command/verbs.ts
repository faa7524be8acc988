import type { Noun, Verb } from './noun.ts';

/** The verb that a command line names. */
export interface NamedVerb {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
}

/** Words of other programs and of other nouns, and the verbs they can mean: the first one that the noun has. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ['ls', ['list']],
  ['rm', ['delete', 'remove', 'revoke']],
  ['show', ['get']],
  ['get', ['show']],
]);

/**
 * Finds the verb that the words after the noun begin with, by its name, else by an alias of its last word; undefined when
 * there is none.
 */
export function findVerb(noun: Noun, words: readonly string[]): NamedVerb | undefined {
  const meanings = words.flatMap((word, index) => (aliases.get(word) ?? []).map((meant) => words.with(index, meant)));
  const named = [words, ...meanings].map((each) => verbNamed(noun, each)).find((found) => found !== undefined);
  // Any other word is an argument of the verb without a name, where there is one.
  const verb = named ?? noun.verbs.find(({ name }) => name === '');
  return verb && { verb, words: `${noun.name} ${verb.name}`.trim() };
}

function verbNamed({ verbs }: Noun, words: readonly string[]): Verb | undefined {
  return verbs.find(({ name }) => name !== '' && name.split(' ').every((word, index) => word === words[index]));
}

/** The words of a verb's name; none when the noun is the whole command. */
export function verbWords({ name }: Verb): string[] {
  return name === '' ? [] : name.split(' ');
}

/**
 * The next words of a noun's verbs, each with the summary of its verb, or of its group with the words that can follow it.
 * @param group the words that the names of the verbs begin with; empty for all verbs
 */
export function nextWords({ verbs, groups = {} }: Noun, group: readonly string[]): [word: string, summary: string][] {
  const lead = group.map((word) => `${word} `).join('');
  const next = new Map<string, string>();
  for (const { name, summary } of verbs.filter((verb) => verb.name.startsWith(lead))) {
    const [word = '', ...rest] = name.slice(lead.length).split(' ');
    next.set(word, rest.length === 0 ? summary : [next.get(word), rest.join(' ')].filter(Boolean).join(', '));
  }
  const summaryOf = (word: string, summary: string) => (word in groups ? `${groups[word]}: ${summary}` : summary);
  return [...next].map(([word, summary]) => [word, summaryOf(word, summary)]);
}
