import { distance } from 'fastest-levenshtein';

/**
 * The similarity of two texts, from 0 to 1: one minus the edit distance (insertions, deletions, replacements) divided by the
 * length of the longer text.
 */
export function similarity(a: string, b: string): number {
  const [left, right] = inUnits(a, b);
  const length = Math.max(left.length, right.length);
  return length === 0 ? 1 : 1 - edits(left, right) / length;
}

/** The minimum length of a word that is tried as the beginning of another word. */
const shortestBeginning = 3;

/**
 * The known word that a misspelled one most likely means, ignoring case: one that differs only in leading zeros (`Client 02`), the
 * shortest that begins with it, or has it as one of several words, or else the most similar one. Undefined when no word is similar
 * enough.
 */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const alike = known.find((each) => withoutZeros(each.toLowerCase()) === withoutZeros(typed));
  if (alike !== undefined) return alike;
  if (typed.length >= shortestBeginning) {
    const shortest = (words: readonly string[]) => words.toSorted((a, b) => a.length - b.length)[0];
    const begun = shortest(known.filter((each) => each.toLowerCase().startsWith(typed)));
    const whole = begun ?? shortest(known.filter((each) => isPartOf(typed, each.toLowerCase())));
    if (whole !== undefined) return whole;
  }
  const scored = known.map((each) => ({ each, nearness: nearness(typed, each.toLowerCase()) }));
  const [best] = scored.sort((a, b) => b.nearness - a.nearness);
  return best && best.nearness > 0 ? best.each : undefined;
}

/** A text whose numbers have no leading zeros. */
function withoutZeros(text: string): string {
  return text.replace(/(?<!\d)0+(?=\d)/g, '');
}

/** The similarity of a misspelled word to a candidate; 0 when the candidate is unlikely. */
function nearness(typed: string, meant: string): number {
  if (areOpposites(typed, meant)) return 0;
  if (areSwapped(typed, meant)) return 1;
  const likeness = similarity(typed, meant);
  // A misspelled word usually has the right first letter, so other words must be more similar: `export` does not suggest
  // `import`.
  return likeness >= (typed.startsWith(meant.charAt(0)) ? 0.6 : 0.75) ? likeness : 0;
}

/** Whether a word is one of several words: `sessions` in `chat sessions`. */
function isPartOf(word: string, words: string): boolean {
  return words.split(/[^\p{L}\p{N}]+/u).includes(word) && !areOpposites(word, words);
}

/** Whether one word is the other with a negating prefix. */
function areOpposites(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return ['un', 'in', 'dis', 'no-'].some((prefix) => long === prefix + short);
}

/** Whether two words differ only by two swapped adjacent letters. */
function areSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, index) => letter !== b[index]);
  const swapped = a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2);
  return swapped === b;
}

/** Whether two texts are at least this similar. */
export function isSimilar(a: string, b: string, least: number): boolean {
  const [left, right] = inUnits(a, b);
  const most = allowedEdits(Math.max(left.length, right.length), least);
  return Math.abs(left.length - right.length) <= most && edits(left, right) <= most;
}

/** The maximum number of edits at which two texts are still this similar. @param length of the longer text */
export function allowedEdits(length: number, least: number): number {
  // The tolerance makes up for inexact products such as 0.2 × 15.
  return Math.floor((1 - least) * length + 1e-9);
}

/** The edit distance of two texts in which each character is one code unit. What they begin and end with alike is skipped. */
function edits(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let alike = 0;
  while (alike < shorter - start && a.charCodeAt(a.length - 1 - alike) === b.charCodeAt(b.length - 1 - alike)) alike++;
  return distance(a.slice(start, a.length - alike), b.slice(start, b.length - alike));
}

const surrogate = /[\ud800-\udfff]/;

/** Two texts in which each character is one code unit. Characters that take two are replaced, the same by the same. */
function inUnits(a: string, b: string): readonly [string, string] {
  if (!surrogate.test(a) && !surrogate.test(b)) return [a, b];
  const units = new Map<string, string>();
  const replaced = (text: string) =>
    Array.from(text, (character) => {
      let unit = units.get(character);
      if (unit === undefined) units.set(character, (unit = String.fromCharCode(units.size)));
      return unit;
    }).join('');
  return [replaced(a), replaced(b)];
}
