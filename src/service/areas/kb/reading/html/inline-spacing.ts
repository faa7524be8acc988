import { unspacedScripts } from '../../../../../contract/text/scripts.ts';
import { signs } from '../prices.ts';
import type { PageNode } from './dom.ts';

/** The classes of elements whose children stand beside each other. */
const rowName = /(?:^|\s)(?:(?:d-|inline-)?(?:flex|grid)|row|justify-between)(?:\s|$)/;

/** Text without spaces between its words. */
const unspaced = new RegExp(`[${unspacedScripts}]`, 'v');

/** Elements that are words of their own where style sheets, and not white space, separate them. */
const ofLayout = /^(?:SPAN|LABEL|A|TIME)$/;

/**
 * Joins the texts of nodes. Links that follow each other are words of their own, and so are the columns of a row: "Montag" and
 * "geschlossen", "Tee" and "3,50 €".
 */
export function joinedInline(nodes: readonly PageNode[], textOf: (node: PageNode) => string): string {
  const isOnlyElements = nodes.length > 1 && nodes.every((node) => node.nodeType === 1);
  let [joined, tail, last]: [string, string, PageNode | undefined] = ['', '', undefined];
  for (const node of nodes) {
    const text = textOf(node);
    if (text === '') continue;
    const piece = last ? between(last, node, tail, text, isOnlyElements) + text : text;
    joined += piece;
    // Kept apart, because reading the end of the long text would copy all of it for each node.
    tail = (tail + piece).slice(-tailLength);
    last = node;
  }
  return joined;
}

/** How much of the text before an element tells whether it goes on. */
const tailLength = 64;

/** What separates the text of a node from that before it: nothing, a space, or the sign of a power. */
function between(last: PageNode, node: PageNode, joined: string, text: string, isOnlyElements: boolean): string {
  if (isLink(node) && isLink(last)) return ' ';
  // The cents of a price, or the number of a footnote.
  if (/^SUP$/.test(node.nodeName) && /\d$/.test(joined) && /^\d/.test(text)) return /(?<![\d.,])(?:2|10)$/.test(joined) ? '^' : ' ';
  if (node.nodeType === 3) return isBeforeValue(last, joined, text) ? ' ' : '';
  return isOnlyElements && isColumn(last, node, joined, text) ? ' ' : '';
}

/** An amount of money, or a number in parentheses, and what it is no part of: US$ 12 is an amount. */
const amount = new RegExp(`^[${signs}(]\\s?\\d`, 'u');
const beforeAmount = /(?:\p{L}{3}|\p{Ll}|\d|[)%])$/u;

/** A number with a sign, and a word before it. */
const signed = /^[+−±]\s?\d/;
const beforeSigned = /\p{L}{3}$/u;

/** Whether a text is an amount or a number with a sign, and what precedes it a word of its own. */
function isAmount(before: string, text: string): boolean {
  return (amount.test(text) && beforeAmount.test(before)) || (signed.test(text) && beforeSigned.test(before));
}

/** Whether an element is a column of a row. */
function isColumn(last: PageNode, element: PageNode, joined: string, text: string): boolean {
  const before = /\S*$/u.exec(joined)?.[0] ?? '';
  // Effects, counters and dates have an element for each part of a number or a word.
  if (/^\p{L}$/u.test(before) || before.length + text.length <= 2 || (/^\d{1,2}$/.test(before) && /^\d{1,2}$/.test(text))) return false;
  if (element.closest('pre, code')) return false;
  if (!/^SU[BP]$/.test(element.nodeName) && isAmount(before, text)) return true;
  if (rowName.test(element.parentNode?.getAttribute('class') ?? ''))
    return /[\p{L}\p{N}.,:;!?)]$/u.test(before) && /^[\p{L}\p{N}(]/u.test(text) && !(/\d[.,:]$/.test(before) && /^\d/.test(text));
  if (/(?:\p{L}{4}|\d)$/u.test(before) && /^\d/.test(text)) return !/^SU[BP]$/.test(element.nodeName);
  if (isLabel(last) && areWords(before, text)) return true;
  if (!ofLayout.test(last.nodeName) || !ofLayout.test(element.nodeName)) return false;
  return areWords(before, text) && ([last, element].some(isNamed) || isRow(element, text));
}

/** Whether two texts can be words beside each other, and not two parts of a text without spaces. */
function areWords(before: string, text: string): boolean {
  if (/[\p{L}\p{N}][.!?:…]+$/u.test(before) && !/^www\.$/i.test(before) && /^\p{Lu}\p{L}/u.test(text)) return true;
  return /[\p{L}\p{N}]{2}$/u.test(before) && /^(?:\p{L}{2}|\p{L}-\d|\d)/u.test(text) && !unspaced.test(before) && !unspaced.test(text);
}

/** Whether an element is a link, a label or a time, which is a whole word. */
function isNamed(element: PageNode): boolean {
  return /^(?:A|LABEL|TIME)$/.test(element.nodeName) || isLabel(element);
}

/** Whether an element is the name of a value, or the letter of a question or an answer, and a text is not the rest of its word. */
function isBeforeValue(element: PageNode, before: string, text: string): boolean {
  if (element.nodeType !== 1) return false;
  if (/^[QA]$/.test(before) && element.hasAttribute('class') && unspaced.test(text)) return true;
  return isLabel(element) && /[\p{L}\p{N})]:?$/u.test(before) && /^[\p{Lu}\p{N}\p{Sc}]/u.test(text);
}

function isLabel(element: PageNode): boolean {
  return /(?:^|[\s_-])label(?:\s|$)/i.test(element.getAttribute('class') ?? '');
}

/** Whether elements are in a row, and not the parts of a text with different styles: there are two, or the second begins with a capital. */
function isRow(element: PageNode, text: string): boolean {
  const parent = element.parentNode;
  if (!parent || /^(?:P|SPAN)$/.test(parent.nodeName)) return false;
  // The parts of a title can be a name of several styles.
  if (/^(?:H[1-6]|A)$/.test(parent.nodeName)) return /^\p{Lu}.* /u.test(text);
  return /^[\p{Lu}\d]/u.test(text) || isLastOfTwo(element);
}

function isLastOfTwo({ previousElementSibling: before, nextElementSibling: after }: PageNode): boolean {
  return after === null && before?.previousElementSibling === null;
}

function isLink(node: PageNode): boolean {
  return /^A$/.test(node.nodeName) && node.hasAttribute('href');
}
