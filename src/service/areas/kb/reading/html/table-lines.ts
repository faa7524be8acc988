import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';

/** The most columns and rows over which a text is repeated, and its length. What is longer is no name of columns or rows. */
const repeated = 50;
const repeatedLength = 80;

/**
 * The lines of a table: its caption and its rows. Rows without text are left out. A short text that a cell says of several rows, or the
 * name of several columns, stands in each of them.
 * @param textOf the text of a cell
 */
export function tableLines(table: PageNode, textOf: (cell: PageNode) => string): string[] {
  const lines = childrenOf(table, /^CAPTION$/).map(textOf);
  let above: ReadonlyMap<number, Above> = new Map();
  for (const row of rowsOf(table)) {
    const { texts, isEmpty, below } = readRow(childrenOf(row, /^T[DH]$/), above, textOf);
    if (!isEmpty) lines.push(texts.join(' | '));
    above = below;
  }
  return lines;
}

/** What a cell of a row above says of a column, empty where that is not repeated, and in how many more rows. */
interface Above {
  readonly text: string;
  readonly rows: number;
}

/** @param above what cells of the rows above say, by column */
function readRow(cells: readonly PageNode[], above: ReadonlyMap<number, Above>, textOf: (cell: PageNode) => string) {
  const below = new Map<number, Above>();
  const texts: string[] = [];
  let column = 0;
  let isEmpty = true;
  const addAbove = () => {
    for (let cell = above.get(column); cell; cell = above.get(++column)) {
      if (cell.rows > 1) below.set(column, { text: cell.text, rows: cell.rows - 1 });
      if (cell.text !== '' && texts.length < repeated) texts.push(cell.text);
    }
  };
  // The only cell of a row is its title.
  const areNames = cells.length > 1 && cells.every(({ nodeName }) => nodeName === 'TH');
  for (const cell of cells) {
    addAbove();
    const text = textOf(cell);
    const isRepeated = text.length <= repeatedLength && texts.length < repeated;
    const [columns, rows] = [spanOf(cell, 'colspan'), spanOf(cell, 'rowspan')];
    const first = column;
    for (; column < first + columns; column++) {
      if (rows > 1) below.set(column, { text: isRepeated ? text : '', rows: rows - 1 });
      if (column === first || (isRepeated && areNames && text !== '')) texts.push(text);
    }
    if (text !== '') isEmpty = false;
  }
  addAbove();
  return { texts, isEmpty, below };
}

/** Over how many columns or rows a cell extends. */
function spanOf(cell: PageNode, name: string): number {
  const span = Number(cell.getAttribute(name));
  return span > 1 ? Math.min(Math.floor(span), repeated) : 1;
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
export function isLayoutTable(table: PageNode): boolean {
  if (table.querySelector('table, pre')) return true;
  const named = new Set(rowsOf(table).filter((row) => childrenOf(row, /^T[DH]$/).filter(isHeading).length > 1));
  return [...table.querySelectorAll(headings)].some((heading) => !heading.closest('th') && !named.has(heading.closest('tr') ?? heading));
}

/** Whether a cell has nothing but a heading. */
function isHeading(cell: PageNode): boolean {
  const heading = cell.querySelector(headings);
  return heading !== null && lengthOf(heading) === lengthOf(cell);
}
