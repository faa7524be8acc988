import { linesOfCode } from './code-lines.ts';
import type { PageNode } from './dom.ts';
import { lengthOf } from './elements.ts';
import { joinedInline } from './inline-spacing.ts';
import { elementNode, nameOf, oneLine, spacedText } from './text-of.ts';

/** The lines of a list. Nested lists are indented. What is no item, but stands among them, is one. */
export function listLines(list: PageNode, indent = ''): string[] {
  const lines: string[] = [];
  const items = partsOf(list, 'li, ul, ol').filter((item) => lengthOf(item) > 0 || nameOf(item) === 'LI');
  const numbers = isNumbered(list) ? numbersOf(list, items) : undefined;
  for (const [index, item] of items.entries())
    if (item.matches?.('ul, ol')) lines.push(...listLines(item, `${indent}- `));
    else lines.push(...itemLines(item, indent, numbers ? `${numbers[index]}.` : '-'));
  return lines;
}

function itemLines(item: PageNode, indent: string, mark: string): string[] {
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
  for (const node of nameOf(item) === 'LI' ? partsOf(item, 'ul, ol') : [item]) {
    if (!node.matches?.('ul, ol')) {
      own.push(node);
      continue;
    }
    writeOwn();
    lines.push(...listLines(node, `${indent}- `));
  }
  writeOwn();
  return lines;
}

/** The children of an element, in which what only wraps elements of a kind is replaced by what it holds. */
function partsOf(element: PageNode, kind: string): PageNode[] {
  return [...element.childNodes].flatMap((node) => {
    if (node.nodeType !== elementNode) return [node];
    return !node.matches(kind) && node.querySelector(kind) ? partsOf(node, kind) : [node];
  });
}

function isNumbered(list: PageNode): boolean {
  return nameOf(list) === 'OL';
}

/** The numbers of the items of a list, as a browser shows them. */
function numbersOf(list: PageNode, items: readonly PageNode[]): number[] {
  const isReversed = list.hasAttribute('reversed');
  const counted = items.filter((item) => nameOf(item) === 'LI');
  let next = integerOf(list.getAttribute('start')) ?? (isReversed ? counted.length : 1);
  return items.map((item) => {
    if (nameOf(item) !== 'LI') return next;
    const number = integerOf(item.getAttribute('value')) ?? next;
    next = number + (isReversed ? -1 : 1);
    return number;
  });
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
