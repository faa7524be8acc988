/** Matches items that must be quoted. Semicolons also separate items in lists that people write. */
const needsQuotes = /[",;]|^\s|\s$|^$/;

/** An item of a list in one cell: quoted, with doubled quotes, or everything up to the next separator. */
const item = /\s*(?:"((?:[^"]|"")*)"\s*(?=[,;]|$)|([^,;]*))(?:[,;]|$)/gy;

/** A list as the text of one cell: `VIP,"Berlin, Mitte"`. `readListText` reads it again. */
export function listText(items: readonly string[]): string {
  return items.map((each) => (needsQuotes.test(each) ? `"${each.replaceAll('"', '""')}"` : each)).join(',');
}

/** Parses a list in one cell, separated by commas or semicolons. Empty items are dropped unless they are quoted. */
export function readListText(text: string): string[] {
  const items: string[] = [];
  for (const [, quoted, plain = ''] of text.matchAll(item)) {
    if (quoted !== undefined) items.push(quoted.replaceAll('""', '"'));
    else if (plain.trim() !== '') items.push(plain.trim());
  }
  return items;
}
