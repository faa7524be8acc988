import { tidy } from '../sections.ts';

/** A line of a page. */
export interface Line {
  readonly text: string;
  /** The font size, in points. */
  readonly size: number;
  /** Its distance from the bottom of the page in points; of a vertical line, from the left. */
  readonly y: number;
  readonly isVertical: boolean;
}

/** A piece of text on a page, as the library returns it. */
export interface Item {
  readonly str: string;
  readonly height: number;
  readonly width: number;
  readonly hasEOL: boolean;
  readonly fontName: string;
  /** The last two numbers are its position, from the left and from the bottom. */
  readonly transform: readonly number[];
}

/** Where a piece of text is on its line. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly y: number;
  readonly size: number;
  readonly isVertical: boolean;
}

/** A gap between two pieces that is a space, as a share of the font size. */
const spaceRatio = 0.2;

/** The forms of punctuation in vertical text. */
const verticalForms = /[\uFE10-\uFE19\uFE30-\uFE48]/g;

/**
 * The lines of a page: pieces at the same height, in the order of the document.
 * @param verticalFonts the names of the fonts whose text runs from top to bottom, in columns from right to left
 */
export function linesOf(items: readonly Item[], verticalFonts: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let last: Place | undefined;
  const flush = () => {
    if (last && text.trim() !== '')
      lines.push({ text: tidy(text), size: Math.round(size * 10) / 10, y: last.y, isVertical: last.isVertical });
    [text, size, last] = ['', 0, undefined];
  };
  for (const item of items) {
    if (item.str !== '') {
      const place = placeOf(item, verticalFonts.has(item.fontName));
      if (last && Math.abs(place.y - last.y) > Math.max(size, place.size) / 2) flush();
      // Text from right to left continues to the left of the last piece.
      if (last && Math.max(place.start - last.end, last.start - place.end) > Math.max(size, place.size) * spaceRatio) text += ' ';
      text += item.str.replace(verticalForms, (form) => form.normalize('NFKC'));
      size = Math.max(size, place.size);
      last = { ...place, y: last?.y ?? place.y };
    }
    if (item.hasEOL) flush();
  }
  flush();
  return lines;
}

function placeOf({ transform, width, height }: Item, isVertical: boolean): Place {
  const [x = 0, y = 0] = transform.slice(4);
  return isVertical
    ? { start: -y, end: height - y, y: x, size: width, isVertical }
    : { start: x, end: x + width, y, size: height, isVertical };
}
