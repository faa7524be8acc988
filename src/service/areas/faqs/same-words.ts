import { foldCase } from '../../../contract/fold.ts';
import { isSimilar } from '../../../contract/similarity.ts';

// Decides whether two texts of FAQs say the same (rules faqs.28 and faqs.29).

/** Joins parts of one word, as in `e-mail` and `don't`. */
const joint = /(?<=\p{L})['’‘ʼ\-‐‑\u00ad](?=\p{L})/gu;

/** Punctuation that is part of a number or a code, as in `1.5`, `-5`, `5 %`, `C#` and `a/b`; or any other, outside the group. */
const punctuation =
  /((?<=\p{N})\p{P}(?=[\p{L}\p{N}])|(?<=\p{L})\p{P}(?=\p{N})|(?<=[\p{L}\p{N}])[#@/\\_]|[#@/\\_](?=[\p{L}\p{N}])|(?<=\p{N}\s?)[%‰]|(?<![\p{L}\p{N}])-(?=\p{N}))|\p{P}/gu;

/** The minimum similarity of two texts that differ in the spelling of words. */
export const leastSimilarity = 0.9;

/** The minimum number of letters of a word that can have two spellings. */
const shortestWord = 4;

/** Words of which other letters make another word, not another spelling: one character of these scripts is a word or a syllable. */
const withoutLetters = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Negations of at least `shortestWord` letters, without apostrophes. */
const negations = new Set(
  `never none nothing nowhere nobody neither without cannot dont cant wont isnt arent wasnt werent hasnt havent doesnt didnt
   couldnt shouldnt wouldnt mustnt nein kein keine keinen keiner keinem keines nicht nichts niemand niemals ohne nirgends weder
   nada nadie nunca jamás ningún ninguno ninguna tampoco jamais rien aucun aucune sans personne niente nessuno nessuna nessun senza
   niet geen niets nooit niemand zonder nenhum nenhuma ninguém inte ingen aldrig utan ikke aldri aldrig uden uten
   никогда ничего никто нельзя není nikdy nigdy yoktur değil hiçbir`.split(/\s+/u),
);

/** A text, split into words for comparison. */
export interface BareText {
  /** The words without case, separated by spaces. */
  readonly folded: string;
  /** The words as they were written. */
  readonly words: readonly string[];
}

/** Takes punctuation, case and the amount of white space from a text. A text of punctuation alone keeps it. */
export function bareText(text: string): BareText {
  const composed = text.normalize('NFC');
  const bare = composed.replace(joint, '').replace(punctuation, (_all, kept?: string) => kept ?? ' ');
  const words = (bare.trim() || composed.trim()).split(/\s+/u);
  return { folded: words.map(foldCase).join(' '), words };
}

/** Whether two texts are equal, or so similar that they differ only in the spelling of words. */
export function saySame(one: BareText, other: BareText): boolean {
  if (one.folded === other.folded) return true;
  if (one.words.length !== other.words.length) return false;
  return (
    one.words.every((word, index) => areSpellings(word, other.words[index] ?? '')) && isSimilar(one.folded, other.folded, leastSimilarity)
  );
}

/** Whether two words are the same, or spellings of one word: never numbers, codes, negations and short words. */
function areSpellings(one: string, other: string): boolean {
  const [left, right] = [foldCase(one), foldCase(other)];
  if (left === right) return true;
  if (!canBeMisspelled(one) || !canBeMisspelled(other)) return false;
  return !areOpposites(left, right) && areOneLetterApart([...left], [...right]);
}

function canBeMisspelled(word: string): boolean {
  const isWord = /^[\p{L}\p{M}]+$/u.test(word) && [...word].length >= shortestWord && !withoutLetters.test(word);
  return isWord && !isCode(word) && !negations.has(foldCase(word));
}

/** Whether a word has capitals after its first letter, as codes and names of products do. */
function isCode(word: string): boolean {
  return /.\p{Lu}/u.test(word);
}

/** Whether a word is the other one with a negating letter, as `never` and `atypical` are. */
function areOpposites(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return ['a', 'n'].some((letter) => long === letter + short);
}

function areOneLetterApart(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const at = long.findIndex((letter, index) => letter !== short[index]);
  const rest = long.slice(at + 1).join('');
  return rest === short.slice(short.length === long.length ? at + 1 : at).join('');
}
