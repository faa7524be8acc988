// What a run of characters without spaces is divided into (rule answers.27).

/** A word whose characters mean something by themselves, and that others can write as a part of theirs: 信用 and 信用卡. */
const ofPairs = /[[\p{scx=Han}\p{scx=Hira}\p{scx=Hang}]--\p{Script=Katakana}]{3,}/v;

/** A word, or its pairs of neighbouring characters. Whether a loan word ends with a long vowel does not matter: サーバー is サーバ. */
export function partsOf(found: string): string[] {
  if (!ofPairs.test(found)) return [found.replace(/(?<=[\p{Script=Katakana}ー]{2})ー$/u, '')];
  const characters = [...found];
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}
