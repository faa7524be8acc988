import type { Noun, Verb } from './noun.ts';

/** The verb of a command line. */
export interface NamedVerb {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
}

/**
 * Alternative words, for example from other programs, and the verbs that they can refer to. The first verb that the noun has is
 * used.
 */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ['ls', ['list']],
  ['rm', ['delete', 'remove', 'revoke']],
  ['show', ['get']],
  ['get', ['show']],
]);

/**
 * Finds the verb at the beginning of the words after the noun, by its name or by an alias of its last word; undefined if there
 * is none.
 */
export function findVerb(noun: Noun, words: readonly string[]): NamedVerb | undefined {
  const meanings = words.flatMap((word, index) => (aliases.get(word) ?? []).map((meant) => words.with(index, meant)));
  const named = [words, ...meanings].flatMap((each) => verbsNamed(noun, each));
  // `deliveries show` goes before `deliveries`. If the noun has a verb without a name, other words are its arguments.
  const verb =
    named.reduce<Verb | undefined>((best, each) => (best && verbWords(best).length >= verbWords(each).length ? best : each), undefined) ??
    noun.verbs.find(({ name }) => name === '');
  return verb && { verb, words: `${noun.name} ${verb.name}`.trim() };
}

function verbsNamed({ verbs }: Noun, words: readonly string[]): Verb[] {
  return verbs.filter(({ name }) => name !== '' && name.split(' ').every((word, index) => word === words[index]));
}

/** The words of a verb's name; empty if the noun is the whole command. */
export function verbWords({ name }: Verb): string[] {
  return name === '' ? [] : name.split(' ');
}

/**
 * The possible next words of a command, with the summary of the verb or, for a group, of the group and the words that can
 * follow.
 * @param group the words with which the names of the verbs begin; empty for all verbs
 */
export function nextWords({ verbs, groups = {} }: Noun, group: readonly string[]): [word: string, summary: string][] {
  const lead = group.map((word) => `${word} `).join('');
  const next = Map.groupBy(
    verbs.filter(({ name }) => name.startsWith(lead)).map(({ name, summary }) => ({ words: name.slice(lead.length).split(' '), summary })),
    ({ words: [word = ''] }) => word,
  );
  return Array.from(next, ([word, some]) => {
    const own = some.find(({ words }) => words.length === 1)?.summary;
    const further = some.flatMap(({ words: [, ...rest] }) => (rest.length === 0 ? [] : [rest.join(' ')])).join(', ');
    if (further === '') return [word, own ?? ''];
    return [word, own === undefined ? [groups[word], further].filter(Boolean).join(': ') : `${own}. Also: ${further}`];
  });
}
