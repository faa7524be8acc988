/** Measures the display width of text. */
export type Ruler = (text: string) => number;

const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** Avoids loading the library that measures wide and combining characters if the text is plain, because loading takes long. */
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  for (const text of texts)
    if (!isPlain(text)) {
      const { default: stringWidth } = await import('string-width');
      return (each) => (isPlain(each) ? each.length : stringWidth(each));
    }
  return (text) => text.length;
}

/** Wraps text to lines of at most `width` columns: at spaces, and within a word only if it is longer than a line. */
export function foldText(text: string, width: number, ruler: Ruler): string[] {
  if (ruler(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, width, ruler))) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (ruler(joined) <= width) line = joined;
    else {
      if (line !== '') lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Whether a word is the address of a page, which must not be broken. */
export function isAddress(word: string): boolean {
  return /^[a-z]+:\/\/\S+$/.test(word);
}

/** Wraps text to lines of at most `width` columns. Of an address that is longer, the middle is left out. */
export function foldCell(text: string, width: number, ruler: Ruler, mark: string): string[] {
  if (ruler(text) <= width) return [text];
  const words = text.split(' ').map((word) => (isAddress(word) && ruler(word) > width ? withoutMiddle(word, width, mark) : word));
  return foldText(words.join(' '), width, ruler);
}

/** Shortens an address to `width` columns: its end tells as much as its beginning. */
function withoutMiddle(address: string, width: number, mark: string): string {
  const room = Math.max(2, width - mark.length);
  const end = Math.floor(room / 2);
  return `${address.slice(0, room - end)}${mark}${address.slice(-end)}`;
}

/** Truncates text to `width` columns and appends a mark of one column. */
export function cutText(text: string, width: number, ruler: Ruler, mark: string): string {
  return ruler(text) <= width ? text : `${foldText(text, width - 1, ruler)[0] ?? ''}${mark}`;
}

/** Splits a word into pieces of at most `width` columns, never within a character. */
function pieces(word: string, width: number, ruler: Ruler): string[] {
  if (ruler(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  for (const character of isPlain(word) ? word : graphemes(word)) {
    if (piece !== '' && ruler(piece + character) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}

/** The user-perceived characters of a text: a letter with its accents is one. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}
