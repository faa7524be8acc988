import type { Item } from './lines.ts';

/** The share of a page's characters that may be unreadable: bullets and icons often are. */
const unreadableShare = 0.1;

/** Characters that stand for no text: controls, private and unassigned ones, and the replacement character. */
const unreadable = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu;

/** The same of them in a row, such as the dots of a table of contents, or the pieces of a line. */
const unreadableRun = /([\p{Cc}\p{Co}\p{Cn}\uFFFD])(?:\s*\1)+/gu;

/** A font as the library describes it; an error message for one that it cannot load. */
export type Font = string | { readonly composite?: boolean; readonly toUnicode?: object };

/**
 * The items of a page that stand for readable text; null when its glyphs cannot be read. A font can lack the table from glyphs to
 * characters, or refer to one that does not exist. What such a font writes is left out alone where it stands apart, as in a chart.
 * @param fonts the fonts of the page by name
 */
export function readableItems<T extends Item>(items: readonly T[], fonts: ReadonlyMap<string, Font>): readonly T[] | null {
  // The library returns no text for a font that it cannot load, so that sentences would be cut silently.
  if ([...fonts.values()].some((font) => typeof font === 'string')) return null;
  const isUnmapped = ({ fontName }: Item) => hasNoCharacters(fonts.get(fontName));
  // Some programs number the glyphs by their characters, so that no table is needed.
  const isNumberedByCharacter = isLanguage(textOf(items.filter(isUnmapped)));
  const isLost = (own: readonly Item[]) => (own.some(isUnmapped) && !isNumberedByCharacter) || isGibberish(shortened(own));
  const lostFonts = new Set([...Map.groupBy(items, ({ fontName }) => fontName)].filter(([, own]) => isLost(own)).map(([name]) => name));
  const read = items.filter(({ fontName }) => !lostFonts.has(fontName));
  const length = lengthOf(shortened(read));
  const lost = lengthOf(shortened(items)) - length;
  const single = shortened(read).match(unreadable)?.length ?? 0;
  if (isApart(lost / runsOf(items, lostFonts), lost, length) && single <= length * unreadableShare) return read;
  return lost + single <= (length + lost) * unreadableShare ? items : null;
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

/** The number of letters, and of other characters, from which a text is judged. */
const lettersMin = 200;
/** The number of letters from which a text can be told to be in a language. */
const wordsMin = 40;
const charactersMin = 100;

/** The letters that make up most of a text in every language with Latin letters, and the share that all of them exceed. */
const frequent = /[aeionrst\u0131]/g;
const frequentShare = 0.36;

/** Characters that text repeats, such as the dots of a table of contents. */
const leaders = /[\s.…·_|*•‐-―-]/gu;

/**
 * Whether a text cannot be in any language, as when a font has its glyphs at the places of other characters: most of its characters
 * are symbols, or its letters are as frequent as if they were drawn by lot.
 */
function isGibberish(text: string): boolean {
  const characters = text.replace(leaders, '');
  // Arrows, ticks and other symbols, such as those of fonts made of them, are what they look like.
  const readable = characters.match(/[\p{L}\p{N}\p{M}\u2190-\u2BFF]/gu)?.length ?? 0;
  if (characters.length >= charactersMin && readable + bracketsIn(text) < characters.length / 2) return true;
  const letters = lettersOf(text);
  return letters.length >= lettersMin && !hasFrequent(letters);
}

/** The number of brackets that are opened and closed about as often, as in code and formulas. */
function bracketsIn(text: string): number {
  const pairs = ['()', '[]', '{}', '<>'].map(([open = '', close = '']) => {
    const [opened, closed] = [text.split(open).length - 1, text.split(close).length - 1];
    return Math.abs(opened - closed) <= Math.max(opened, closed) / 10 ? opened + closed : 0;
  });
  return pairs.reduce((sum, each) => sum + each, 0);
}

/** Whether a text is surely in a language with Latin letters. */
function isLanguage(text: string): boolean {
  const letters = lettersOf(text);
  return letters.length >= wordsMin && hasFrequent(letters) && !/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/u.test(text);
}

/** The Latin letters of words. Codes are left out, because they are as likely to have any letter. */
function lettersOf(text: string): string {
  const words =
    text
      .normalize('NFD')
      .toLowerCase()
      .match(/(?<![\p{L}\p{N}])[a-z\u0131\p{M}]+(?![\p{L}\p{N}])/gu) ?? [];
  return words.join('').replace(/\p{M}/gu, '');
}

function hasFrequent(letters: string): boolean {
  return (letters.match(frequent)?.length ?? 0) >= letters.length * frequentShare;
}

/** Whether a font has numbers of glyphs and no characters. The library then takes the numbers for characters. */
function hasNoCharacters(font: Font | undefined): boolean {
  return typeof font === 'object' && font.composite === true && 'firstChar' in (font.toUnicode ?? {});
}
