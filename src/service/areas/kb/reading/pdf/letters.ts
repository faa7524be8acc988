/** The ligatures and signs that TeX has at the places of control characters, in its older fonts and in newer ones. */
const ofTeX: ReadonlyMap<string, string> = new Map([
  ['\u000B', 'ff'],
  ['\u000C', 'fi'],
  ['\u000D', 'fl'],
  ['\u000E', 'ffi'],
  ['\u000F', 'ffl'],
  ['\u0010', '“'],
  ['\u0011', '”'],
  ['\u0015', '–'],
  ['\u0016', '—'],
  ['\u001B', 'ff'],
  ['\u001C', 'fi'],
  ['\u001D', 'fl'],
  ['\u001E', 'ffi'],
  ['\u001F', 'ffl'],
]);

/** One of them beside a letter, or a dash between numbers. */
const inWord =
  /(?<=[\p{L}.,!?])[\u000B-\u0011\u0015\u0016\u001B-\u001F]|[\u000B-\u0011\u0015\u0016\u001B-\u001F](?=\p{L})|(?<=\p{N})[\u0015\u0016](?=\p{N})/gu;

/** Letters that are drawn as one, punctuation of vertical text, and the forms of Arabic letters within words. */
const forms = /[\uFB00-\uFB06\uFB50-\uFDFF\uFE10-\uFE19\uFE30-\uFE48\uFE70-\uFEFC]/g;

/** The text of a piece with its letters as they are written, and not as a font has them. */
export function withLetters(text: string): string {
  return text.replace(inWord, (sign) => ofTeX.get(sign) ?? sign).replace(forms, (form) => form.normalize('NFKC'));
}
