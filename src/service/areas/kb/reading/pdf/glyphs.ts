import type { Item } from './lines.ts';

/** The share of a page's characters that may be unreadable: bullets and icons often are. */
const unreadableShare = 0.1;

/** Characters that stand for no text: controls, private and unassigned ones, and the replacement character. */
const unreadable = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu;

/** The same of them in a row, such as the dots of a table of contents, or the pieces of a line. */
const unreadableRun = /([\p{Cc}\p{Co}\p{Cn}\uFFFD])(?:\s*\1)+/gu;

/** A font as the library describes it; an error message for one that it cannot load. */
export type Font = string | { readonly composite?: boolean; readonly toUnicode?: object };

/** How much of the text of a font is kept, in characters: enough to tell whether it is in a language. */
const keptOfFont = 5_000;

/** What each font of a document writes, by its name: a page can have too little of it to tell whether it is text. */
export class FontTexts {
  readonly #texts = new Map<string, string>();

  add(items: readonly Item[]): void {
    for (const [name, own] of Map.groupBy(items, ({ fontName }) => fontName)) {
      const text = this.#texts.get(name) ?? '';
      if (text.length < keptOfFont) this.#texts.set(name, `${text} ${shortened(own)}`);
    }
  }

  /** The fonts whose text stands for none. */
  gibberish(): ReadonlySet<string> {
    return new Set([...this.#texts].filter(([, text]) => isGibberish(text)).map(([name]) => name));
  }
}

/**
 * The items of a page that stand for readable text; null when its glyphs cannot be read. A font can lack the table from glyphs to
 * characters, or refer to one that does not exist. What such a font writes is left out alone where it stands apart, as in a chart.
 * @param fonts the fonts of the page by name
 * @param gibberish the fonts whose text on all pages stands for none
 */
export function readableItems<T extends Item>(
  items: readonly T[],
  fonts: ReadonlyMap<string, Font>,
  gibberish: ReadonlySet<string>,
): readonly T[] | null {
  // The library returns no text for a font that it cannot load, so that sentences would be cut silently.
  if ([...fonts.values()].some((font) => typeof font === 'string')) return null;
  const isUnmapped = ({ fontName }: Item) => hasNoCharacters(fonts.get(fontName));
  // Some programs number the glyphs by their characters, so that no table is needed.
  const isNumberedByCharacter = isLanguage(textOf(items.filter(isUnmapped)));
  // The few words of a font in a page, such as abbreviations, can have any letters.
  const writesMost = (own: readonly Item[]) => lengthOf(shortened(own)) >= lengthOf(shortened(items)) / 2;
  const isLost = (own: readonly Item[], name: string) =>
    (own.some(isUnmapped) && !isNumberedByCharacter) ||
    isGibberish(shortened(own)) ||
    (gibberish.has(name) && writesMost(own) && !hasFrequent(wordsOf(shortened(own)).join(''), usualShare));
  const fontItems = Map.groupBy(items, ({ fontName }) => fontName);
  const lostFonts = new Set([...fontItems].filter(([name, own]) => isLost(own, name)).map(([name]) => name));
  const read = items.filter(({ fontName }) => !lostFonts.has(fontName));
  if (hasBrokenWords(read)) return null;
  const length = lengthOf(shortened(read));
  const lost = lengthOf(shortened(items)) - length;
  const single = shortened(read).match(unreadable)?.length ?? 0;
  if (isApart(lost / runsOf(items, lostFonts), lost, length) && single <= length * unreadableShare) return read;
  return lost + single <= (length + lost) * unreadableShare ? items : null;
}

/** The share of a page's characters that may be unreadable within words, which are wrong then, as in Hindi without its vowel signs. */
const brokenShare = 0.02;

/** Unreadable characters beside letters. */
const inWord = /(?<=[\p{L}\p{M}])[\p{Cc}\p{Co}\p{Cn}\uFFFD]|[\p{Cc}\p{Co}\p{Cn}\uFFFD](?=[\p{L}\p{M}])/gu;

function hasBrokenWords(items: readonly Item[]): boolean {
  const text = items.map(({ str, hasEOL }) => (hasEOL ? `${str} ` : str)).join('');
  const length = lengthOf(text);
  return length >= charactersMin && (text.match(inWord)?.length ?? 0) > length * brokenShare;
}

/** How much longer the rest of a page is, and at least, when what cannot be read stands apart in it. */
const restShare = 3;
const restMin = 1_000;
/** The mean length of what stands apart. Shorter ones are words within sentences, which would be missed. */
const runLength = 40;

/** Whether what cannot be read can be left out alone. @param rest the number of characters that can be read */
function isApart(run: number, lost: number, rest: number): boolean {
  return lost > 0 && run >= runLength && rest >= Math.max(restMin, lost * restShare);
}

/** How often items of lost fonts follow others, or begin. */
function runsOf(items: readonly Item[], lostFonts: ReadonlySet<string>): number {
  const lost = items.filter(({ str }) => str.trim() !== '').map(({ fontName }) => lostFonts.has(fontName));
  return lost.filter((isLost, index) => isLost && lost[index - 1] !== true).length;
}

/** The text of items, without what repeats. */
function shortened(items: readonly Item[]): string {
  return textOf(items).replace(unreadableRun, '$1');
}

function lengthOf(text: string): number {
  return text.replace(/\s/gu, '').length;
}

function textOf(items: readonly Item[]): string {
  return items.map(({ str }) => str).join(' ');
}

/** The number of letters from which a text is judged, in all words and in distinct ones. */
const lettersMin = 200;
const distinctMin = 60;
/** The number of characters from which a text is judged. */
const charactersMin = 100;
/** The number of letters from which a text can be told to be in a language. */
const wordsMin = 40;

/** The letters that make up most of a text in every language with Latin letters, and the share that all of them exceed. */
const frequent = /[aeionrst\u0131]/g;
const frequentShare = 0.36;
/** The share that nearly all texts have. */
const usualShare = 0.45;

/** Characters that text repeats, such as the dots of a table of contents. */
const leaders = /[\s.…·_|*•‐-―-]/gu;

/** Letters and digits, the signs of code and formulas, and arrows, ticks and other symbols, which are what they look like. */
const readable = /[\p{L}\p{N}\p{M}\u2190-\u2BFF;:=+*/<>(){}[\],'"‘’“”−∗^\\]/u;

/**
 * Whether a text cannot be in any language, as when a font has its glyphs at the places of other characters: most of its characters
 * are symbols, or its letters are as frequent as if they were drawn by lot.
 */
function isGibberish(text: string): boolean {
  const characters = [...text.replace(leaders, '')];
  if (characters.length >= charactersMin && characters.filter((each) => readable.test(each)).length < characters.length / 2) return true;
  const words = wordsOf(text);
  if (words.join('').length < lettersMin) return false;
  // Each word counts once: names in code, and letters in formulas, are repeated.
  const distinct = [...new Set(words)].join('');
  return distinct.length >= distinctMin && !hasFrequent(distinct);
}

/** Whether a text is surely in a language with Latin letters. */
function isLanguage(text: string): boolean {
  const letters = wordsOf(text).join('');
  return letters.length >= wordsMin && hasFrequent(letters) && !/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/u.test(text);
}

/** The words in Latin letters, without accents. Codes are left out, because they are as likely to have any letter. */
function wordsOf(text: string): string[] {
  const bare = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return bare.match(/(?<![\p{L}\p{N}])[a-z\u0131]+(?![\p{L}\p{N}])/gu) ?? [];
}

function hasFrequent(letters: string, share = frequentShare): boolean {
  return (letters.match(frequent)?.length ?? 0) >= letters.length * share;
}

/** Whether a font has numbers of glyphs and no characters. The library then takes the numbers for characters. */
function hasNoCharacters(font: Font | undefined): boolean {
  return typeof font === 'object' && font.composite === true && 'firstChar' in (font.toUnicode ?? {});
}
