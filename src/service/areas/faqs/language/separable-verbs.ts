import { foldAccents } from '../../../../contract/text/fold.ts';

/** The particles that German verbs put at the end of a clause. Those that can be nouns there belong to known verbs only. */
const particles = new Set('ab an auf aus ein fest her hin hoch mit nach runter um vor weiter zu zuruck'.split(' '));
const nouns = new Set('los weg'.split(' '));

/** What may follow a clause: a conjunction, or `bitte`. */
const followers = new Set('bitte dass ob oder und weil aber wenn'.split(' '));

/** How many words may stand between a verb and its particle, and before an unknown verb in a text. */
const farthest = 8;
const secondPlace = 2;

/** A word that can be a form of a verb in the present. */
const verbForm = /^\p{L}{3,}(?:e|st|t|en)$/u;

/**
 * Joins German verbs and their particles, as the infinitive is written: `wie melde ich mich an` is `wie anmelden ich mich`.
 * @param written the words of a text, in lower case
 * @param isWord whether a word is known
 * @param isInformative whether a word says something
 */
export function joinVerbs(
  written: readonly string[],
  isWord: (word: string) => boolean,
  isInformative: (word: string) => boolean,
): readonly string[] {
  const joined = [...written];
  for (let end = joined.length - 1; end > 0; end--) {
    const particle = foldAccents(joined[end] ?? '');
    const next = joined[end + 1];
    if (!(particles.has(particle) || nouns.has(particle)) || (next !== undefined && !followers.has(next))) continue;
    const start = Math.max(0, end - 1 - farthest);
    const verbs = joined
      .slice(start, end)
      .map((word, index) => ({
        infinitives: verbForm.test(word) && isInformative(word) ? infinitivesOf(particle, word) : [],
        at: start + index,
      }))
      .filter(({ infinitives }) => infinitives.length > 0);
    const found =
      verbs.find(({ infinitives }) => infinitives.some(isWord)) ?? verbs.find(({ at }) => at <= secondPlace && !nouns.has(particle));
    const infinitive = found?.infinitives.find(isWord) ?? found?.infinitives[0];
    if (!found || infinitive === undefined) continue;
    joined[found.at] = infinitive;
    joined.splice(end, 1);
  }
  return joined;
}

/** What the infinitive of a verb can be: the s of `löst` belongs to its stem, that of `kommst` does not. */
function infinitivesOf(particle: string, verb: string): string[] {
  return [/(?<![aeiouäöü\u0308])st$/u, /(?:est|et|en|e|t)$/u]
    .filter((end) => end.test(verb))
    .map((end) => `${particle}${verb.replace(end, '')}en`);
}
