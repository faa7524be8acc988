import { foldAccents } from '../../../../contract/text/fold.ts';

/** The particles that German verbs put at the end of a clause. Those that can be nouns there belong to known verbs only. */
const particles = new Set('ab an auf aus ein fest her hin hoch mit nach runter um vor weiter zu zuruck'.split(' '));
const nouns = new Set('los weg'.split(' '));

/** What may follow a clause, and please. */
const conjunctions = new Set('bitte dass ob oder und weil aber wenn'.split(' '));

/** How many words may stand between a verb and its particle, and before the verb of a clause. */
const farthest = 8;
const secondPlace = 2;

/** A word that can be a form of a verb in the present. */
const verbForm = /^\p{L}{3,}(?:e|st|t|en)$/u;

/**
 * Joins German verbs and their particles, as the infinitive is written: `wie melde ich mich an` is `wie anmelden ich mich`.
 * @param written the words of a text, in lower case
 * @param isWord whether a word is known
 * @param isVerb whether a word can be a verb, and says something
 */
export function joinVerbs(
  written: readonly string[],
  isWord: (word: string) => boolean,
  isVerb: (word: string) => boolean,
): readonly string[] {
  const joined = [...written];
  for (let end = joined.length - 1; end > 0; end--) {
    const particle = foldAccents(joined[end] ?? '');
    const next = joined[end + 1];
    if (!(particles.has(particle) || nouns.has(particle)) || (next !== undefined && !conjunctions.has(next))) continue;
    const start = Math.max(0, end - 1 - farthest);
    const verbs = joined
      .slice(start, end)
      .flatMap((word, index) => (verbForm.test(word) && isVerb(word) ? [{ word, at: start + index }] : []));
    const found =
      verbs.find(({ word }) => isWord(infinitiveOf(particle, word))) ?? verbs.find(({ at }) => at <= secondPlace && !nouns.has(particle));
    if (!found) continue;
    joined[found.at] = infinitiveOf(particle, found.word);
    joined.splice(end, 1);
  }
  return joined;
}

/** The infinitive of a verb with its particle. */
function infinitiveOf(particle: string, verb: string): string {
  return `${particle}${verb.replace(/(?:est|et|en|st|e|t)$/u, '')}en`;
}
