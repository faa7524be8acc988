/** A word whose characters mean something by themselves, and that others can write as a part of theirs: 信用 and 信用卡. */
const ofPairs = /[[\p{scx=Han}\p{scx=Hira}\p{scx=Hang}]--\p{Script=Katakana}]{3,}/v;

/** A word, or the pairs of neighbouring characters by which it is found (rule answers.27). */
export function characterPairs(word: string): string[] {
  if (!ofPairs.test(word)) return [word];
  const characters = [...word];
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}
