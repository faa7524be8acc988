import type { PageNode } from './dom.ts';
import { lengthOf } from './elements.ts';

/** The most columns and rows over which a text is repeated, and its length. What is longer is no name of columns or rows. */
const repeated = 50;
const repeatedLength = 80;

/**
 * The lines of a table: its caption and its rows. Rows without text are left out. A short text that a cell says of several rows, or the
 * name of several columns, stands in each of them.
 * @param textOf the text of a cell
 */
export function tableLines(table: PageNode, textOf: (cell: PageNode) => string): string[] {
  const captions = childrenOf(table, /^CAPTION$/).map(textOf);
  const lines = [...captions];
  /** By its column, the text of a cell that goes on in the rows below, and in how many. */
  let below = new Map<number, { readonly text: string; readonly rows: number }>();
  for (const row of rowsOf(table)) {
    const cells = childrenOf(row, /^T[DH]$/);
    const areNames = cells.length > 1 && cells.every(({ nodeName }) => nodeName === 'TH');
    const texts: string[] = [];
    const next: typeof below = new Map();
    const addAbove = () => {
      for (let above = below.get(texts.length); above && texts.length < repeated; above = below.get(texts.length)) {
        if (above.rows > 1) next.set(texts.length, { text: above.text, rows: above.rows - 1 });
        texts.push(above.text);
      }
    };
    for (const cell of cells) {
      addAbove();
      const text = textOf(cell);
      const isRepeated = text !== '' && text.length <= repeatedLength;
      // The only cell of a row is its title.
      const columns = isRepeated && areNames && texts.length < repeated ? spanOf(cell, 'colspan') : 1;
      for (let column = 0; column < columns; column++) {
        if (isRepeated && spanOf(cell, 'rowspan') > 1) next.set(texts.length, { text, rows: spanOf(cell, 'rowspan') - 1 });
        texts.push(text);
      }
    }
    addAbove();
    below = next;
    if (cells.some((cell) => lengthOf(cell) > 0) && texts.some((text) => text !== '')) lines.push(texts.join(' | '));
  }
  return lines;
}

/** Over how many columns or rows a cell extends. */
function spanOf(cell: PageNode, name: string): number {
  const span = Number(cell.getAttribute(name));
  return span > 1 && span <= repeated ? Math.floor(span) : 1;
}

function rowsOf(node: PageNode): PageNode[] {
  return [...node.childNodes].flatMap((child) =>
    /^TR$/.test(child.nodeName) ? [child] : /^T(?:BODY|HEAD|FOOT)$/.test(child.nodeName) ? rowsOf(child) : [],
  );
}

function childrenOf(node: PageNode, name: RegExp): PageNode[] {
  return [...node.childNodes].filter((child) => name.test(child.nodeName));
}

/** Whether a table is the layout of a page: it has nested tables, code, or headings that are not the names of its columns. */
export function isLayout(table: PageNode): boolean {
  if (table.querySelector('table, pre')) return true;
  const named = new Set(rowsOf(table).filter((row) => childrenOf(row, /^T[DH]$/).filter(isHeading).length > 1));
  return [...table.querySelectorAll('h1, h2, h3, h4, h5, h6')].some(
    (heading) => !heading.closest('th') && !named.has(heading.closest('tr') ?? heading),
  );
}

/** Whether a cell has nothing but a heading. */
function isHeading(cell: PageNode): boolean {
  const heading = cell.querySelector('h1, h2, h3, h4, h5, h6');
  return heading !== null && lengthOf(heading) === lengthOf(cell);
}
