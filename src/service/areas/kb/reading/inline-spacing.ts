import type { PageNode } from './dom.ts';

/** The classes of elements whose children stand beside each other. */
const rowName = /(?:^|\s)(?:(?:d-|inline-)?(?:flex|grid)|row|justify-between)(?:\s|$)/;

/** Elements that are words of their own where style sheets, and not white space, separate them. */
const ofLayout = /^(?:SPAN|LABEL|A)$/;

/**
 * Joins the texts of nodes. Links that follow each other are words of their own, and so are the columns of a row: "Montag" and
 * "geschlossen", "Tee" and "3,50 €".
 */
export function joinedInline(nodes: readonly PageNode[], textOf: (node: PageNode) => string): string {
  const isOnlyElements = nodes.length > 1 && nodes.every((node) => node.nodeType === 1);
  let [joined, last]: [string, PageNode | undefined] = ['', undefined];
  for (const node of nodes) {
    const text = textOf(node);
    if (text === '') continue;
    joined += last && isApart(last, node, joined, text, isOnlyElements) ? ` ${text}` : text;
    last = node;
  }
  return joined;
}

/** Whether a node is a word of its own after another. */
function isApart(last: PageNode, node: PageNode, joined: string, text: string, isOnlyElements: boolean): boolean {
  if (isLink(node) && isLink(last)) return true;
  // The cents of a price, or the number of a footnote.
  if (/^SUP$/.test(node.nodeName) && /\d$/.test(joined) && /^\d/.test(text)) return true;
  return isOnlyElements && isColumn(last, node, joined, text);
}

/** Whether an element is a column of a row. */
function isColumn(last: PageNode, element: PageNode, joined: string, text: string): boolean {
  const before = /\S*$/u.exec(joined)?.[0] ?? '';
  // Effects, counters and dates have an element for each part of a number or a word.
  if (/^\p{L}$/u.test(before) || before.length + text.length <= 2 || (/^\d{1,2}$/.test(before) && /^\d{1,2}$/.test(text))) return false;
  if (element.closest('pre, code')) return false;
  if (rowName.test(element.parentNode?.getAttribute('class') ?? ''))
    return /[\p{L}\p{N}.,:;!?)]$/u.test(before) && /^[\p{L}\p{N}(]/u.test(text) && !(/\d[.,:]$/.test(before) && /^\d/.test(text));
  if (/(?:\p{L}{4}|\d)$/u.test(before) && /^\d/.test(text)) return !/^SU[BP]$/.test(element.nodeName);
  return ofLayout.test(last.nodeName) && ofLayout.test(element.nodeName) && /[\p{L}\p{N}]{2}$/u.test(before) && /^\p{L}{2}|^\d/u.test(text);
}

function isLink(node: PageNode): boolean {
  return /^A$/.test(node.nodeName) && node.hasAttribute('href');
}
