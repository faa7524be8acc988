import { parseHTML } from 'linkedom';
import { type DefaultTreeAdapterTypes as Tree, parse, serialize } from 'parse5';
import { showContactDetails } from '../contact-details.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { lengthOf, replaceBy } from './elements.ts';
import { removeStruckOut } from './struck-out.ts';

/** An element in XHTML that has no content. In HTML, it would not end before the page does. */
const emptyElement =
  /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([a-z][\w:-]*)((?:\s[^<>]{0,10000})?)\/>/gi;

/**
 * Parses a page into the form that all readers expect: the elements that a browser sees, names in lower case, headings as heading
 * elements, contact details as text, and nothing that is struck out.
 */
export function parsePage(html: string): PageDocument {
  const { document } = parseHTML(wellFormed(html)) as unknown as { document: PageDocument };
  showShadows(document);
  removeStruckOut(document);
  for (const element of [...document.querySelectorAll('[role="heading" i]')]) makeHeading(document, element);
  showContactDetails(document);
  keepLines(document);
  return document;
}

/**
 * A page with all of its tags, in their places. The library that makes the document does not add those that are left out, and
 * drops what stands behind the end of the body.
 */
function wellFormed(html: string): string {
  const text = /^\s*<\?xml\b/.test(html) ? html.replace(emptyElement, '<$1$2></$1>') : html;
  const tree = parse(text, { scriptingEnabled: false });
  flatten(tree);
  return serialize(tree);
}

/** How deep elements can be nested, as in browsers. */
const deepest = 512;

/** Lifts what is nested too deeply, so that every step may descend into it. */
function flatten(parent: Tree.ParentNode, depth = 0): void {
  if (depth === deepest) parent.childNodes = lifted(parent.childNodes);
  else for (const child of parent.childNodes) if ('childNodes' in child) flatten(child, depth + 1);
}

/** Nodes with the elements in them, each with its own text, beside each other. */
function lifted(nodes: readonly Tree.ChildNode[]): Tree.ChildNode[] {
  const found: Tree.ChildNode[] = [];
  const rest = nodes.toReversed();
  for (let node = rest.pop(); node; node = rest.pop()) {
    found.push(node);
    if (!('childNodes' in node)) continue;
    for (const child of node.childNodes.toReversed()) if ('childNodes' in child) rest.push(child);
    node.childNodes = node.childNodes.filter((child) => !('childNodes' in child));
  }
  return found;
}

/** Shows what is in shadow roots, before what their elements have besides. What is in a template is found once it is shown. */
function showShadows(document: PageDocument): void {
  const shown: PageNode[] = [document.body];
  for (const part of shown)
    for (const shadow of part.querySelectorAll('template[shadowrootmode]')) {
      shown.push(replaceBy(document, shadow, 'div'));
    }
}

/** Makes line breaks of those in text whose style keeps them. */
function keepLines(document: PageDocument): void {
  for (const element of document.querySelectorAll('[style*="white-space" i]')) {
    if (!/white-space\s*:\s*(?:pre|break-spaces)/i.test(element.getAttribute('style') ?? '') || element.closest('pre')) continue;
    for (const node of [...element.childNodes]) {
      const [first = '', ...others] = (node.textContent ?? '').split('\n');
      if (node.nodeType !== 3 || others.length === 0 || lengthOf(node) === 0) continue;
      const lines = document.createElement('span');
      lines.append(document.createTextNode(first));
      for (const line of others) lines.append(document.createElement('br'), document.createTextNode(line));
      node.replaceWith(lines);
    }
  }
}

/** Replaces an element that only its role makes a heading. */
function makeHeading(document: PageDocument, element: PageNode): void {
  if (/^H[1-6]$/i.test(element.nodeName)) return;
  const level = Number(element.getAttribute('aria-level') ?? 2);
  replaceBy(document, element, `h${level >= 1 && level <= 6 ? level : 6}`);
}
