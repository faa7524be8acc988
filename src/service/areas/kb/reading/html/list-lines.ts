import { linesOfCode } from './code-lines.ts';
import type { PageNode } from './dom.ts';
import { lengthOf } from './elements.ts';
import { joinedInline } from './inline-spacing.ts';
import { blocks, elementNode, nameOf, oneLine, silent, spacedText } from './text-of.ts';

/** The lines of a list. Nested lists are indented. What stands among the items is an item too. */
export function listLines(list: PageNode, indent = ''): string[] {
  const entries = entriesOf(list);
  const numbers = nameOf(list) === 'OL' ? numbersOf(list, entries.flat().filter(isItem)) : undefined;
  return entries.flatMap(([first, ...others]) => {
    if (!first) return [];
    if (isList(first)) return listLines(first, `${indent}- `);
    const number = numbers?.get(first);
    return itemLines(isItem(first) ? [...first.childNodes] : [first, ...others], indent, number === undefined ? '-' : `${number}.`);
  });
}

/** The items of a list, and the lists and the text among them. What only wraps some of them is left out. */
function entriesOf(element: PageNode): PageNode[][] {
  const entries: PageNode[][] = [];
  let inline: PageNode[] = [];
  const endLine = () => {
    if (inline.some((node) => lengthOf(node) > 0)) entries.push(inline);
    inline = [];
  };
  for (const node of element.childNodes) {
    const isWrapper = !isItem(node) && !isList(node) && wraps(node, 'li, ul, ol');
    if (!isWrapper && !blocks.has(nameOf(node))) {
      inline.push(node);
      continue;
    }
    endLine();
    if (isWrapper) entries.push(...entriesOf(node));
    else if (isItem(node) || lengthOf(node) > 0) entries.push([node]);
  }
  endLine();
  return entries;
}

/** The lines of an item. Those of the lists in it are indented. */
function itemLines(nodes: readonly PageNode[], indent: string, mark: string): string[] {
  const lines: string[] = [];
  let sign = `${indent}${mark} `;
  let own: PageNode[] = [];
  const writeOwn = () => {
    const [first, ...others] = joinPieces(piecesOf(own)).map(oneLine).filter(Boolean);
    own = [];
    if (first === undefined) return;
    lines.push(`${sign}${first}`, ...others);
    sign = '';
  };
  const write = (node: PageNode) => {
    const isNested = isList(node);
    if (!isNested && !wraps(node, 'ul, ol')) {
      own.push(node);
      return;
    }
    if (isNested || blocks.has(nameOf(node))) writeOwn();
    if (isNested) lines.push(...listLines(node, `${indent}- `));
    else for (const child of node.childNodes) write(child);
  };
  for (const node of nodes) write(node);
  writeOwn();
  return lines;
}

function isItem(node: PageNode): boolean {
  return nameOf(node) === 'LI';
}

function isList(node: PageNode): boolean {
  return /^(?:UL|OL)$/.test(nameOf(node));
}

/** Whether an element holds elements of a kind, and is no table, code or control. */
function wraps(node: PageNode, kind: string): boolean {
  const name = nameOf(node);
  return node.nodeType === elementNode && !silent.has(name) && !/^(?:TABLE|PRE)$/.test(name) && node.querySelector(kind) !== null;
}

/** The numbers of the items of a list, as a browser counts them. */
function numbersOf(list: PageNode, items: readonly PageNode[]): Map<PageNode, number> {
  const step = list.hasAttribute('reversed') ? -1 : 1;
  let next = integerOf(list.getAttribute('start')) ?? (step === 1 ? 1 : items.length);
  return new Map(
    items.map((item) => {
      const number = integerOf(item.getAttribute('value')) ?? next;
      next = number + step;
      return [item, number];
    }),
  );
}

function integerOf(text: string | null): number | undefined {
  return text !== null && /^\s*-?\d{1,6}\s*$/.test(text) ? Number(text) : undefined;
}

/** A piece of a list item: text goes on in the same line, and code has lines of its own. */
interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

function piecesOf(nodes: readonly PageNode[]): Piece[] {
  if (!nodes.some(hasCode)) return [{ text: joinedInline(nodes, spacedText), isCode: false }];
  return nodes.flatMap((node) => {
    if (!hasCode(node)) return [{ text: spacedText(node), isCode: false }];
    if (nameOf(node) !== 'PRE') return piecesOf([...node.childNodes]);
    return linesOfCode(node)
      .split('\n')
      .map((text) => ({ text, isCode: true }));
  });
}

function hasCode(node: PageNode): boolean {
  return nameOf(node) === 'PRE' || (node.nodeType === elementNode && node.querySelector('pre') !== null);
}

function joinPieces(pieces: readonly Piece[]): string[] {
  const lines = [''];
  for (const { text, isCode } of pieces)
    if (isCode) lines.push(text, '');
    else lines[lines.length - 1] += text;
  return lines;
}
