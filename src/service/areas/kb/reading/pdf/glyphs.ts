import type { Item } from './lines.ts';

/** The share of a page's characters that may be unreadable: bullets and icons often are. */
const unreadableShare = 0.1;

/** Characters that stand for no text: controls, private and unassigned ones, and the replacement character. */
const unreadable = /[\p{Cc}\p{Co}\p{Cn}\uFFFD]/gu;

/** A font as the library describes it; an error message for one that it cannot load. */
export type Font = string | { readonly composite?: boolean; readonly toUnicode?: object };

/**
 * Whether the glyphs of a page stand for readable text. A font can lack the table from glyphs to characters, or refer to one that
 * does not exist.
 * @param fonts the fonts of the page by name
 */
export function isReadable(items: readonly Item[], fonts: ReadonlyMap<string, Font>): boolean {
  // The library returns no text for a font that it cannot load, so that sentences would be cut silently.
  if ([...fonts.values()].some((font) => typeof font === 'string')) return false;
  let [all, lost] = [0, 0];
  for (const { str, fontName } of items) {
    all += str.length;
    lost += hasNoCharacters(fonts.get(fontName)) ? str.length : (str.match(unreadable)?.length ?? 0);
  }
  return lost <= all * unreadableShare;
}

/** Whether a font has numbers of glyphs and no characters. The library then takes the numbers for characters. */
function hasNoCharacters(font: Font | undefined): boolean {
  return typeof font === 'object' && font.composite === true && 'firstChar' in (font.toUnicode ?? {});
}
