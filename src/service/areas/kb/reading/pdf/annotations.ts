import type { Item } from './lines.ts';

/** What lies on a page, as the library describes it: fields of a form, and remarks. */
export interface Annotation {
  readonly subtype?: string;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly password?: boolean;
  readonly hidden?: boolean;
  readonly annotationFlags?: number;
  readonly contentsObj?: { readonly str: string };
  /** Left, bottom, right and top. */
  readonly rect: readonly number[];
}

/** The flags of an annotation that is not shown: hidden, or not on a screen. */
const unseenFlags = 0x02 | 0x20;

/** The size of the text in annotations, in points. It never counts as a heading. */
const textSize = 1;

/** The text of annotations as pieces of the page, where they stand: what a form is filled with, and text boxes. */
export function itemsOf(annotations: readonly Annotation[]): Item[] {
  return annotations.flatMap((annotation) => {
    const [left = 0, bottom = 0, right = 0] = annotation.rect;
    const isSeen = ((annotation.annotationFlags ?? 0) & unseenFlags) === 0;
    const text = isSeen ? textIn(annotation) : '';
    if (text.trim() === '') return [];
    const place = { height: textSize, width: right - left, transform: [textSize, 0, 0, textSize, left, bottom] };
    return [{ str: text, hasEOL: true, fontName: '', ...place }];
  });
}

function textIn({ subtype, fieldType, fieldValue, password, contentsObj }: Annotation): string {
  if (subtype === 'FreeText') return contentsObj?.str ?? '';
  if (subtype !== 'Widget' || password || !/^(Tx|Ch)$/.test(fieldType ?? '')) return '';
  return [fieldValue]
    .flat()
    .filter((value) => typeof value === 'string')
    .join(', ');
}
