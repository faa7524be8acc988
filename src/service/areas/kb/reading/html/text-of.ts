import type { PageNode } from './dom.ts';
import { formulaText } from './formula.ts';
import { joinedInline } from './inline-spacing.ts';

export const textNode = 3;
export const elementNode = 1;

/** Block elements. Other elements are part of the text around them. */
export const blocks = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LEGEND LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'.split(
    ' ',
  ),
);

/** Elements without visible text. */
export const silent = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'SVG', 'BUTTON', 'SELECT', 'IFRAME']);

/** The text of a node, with spaces around that of a block. */
export function spacedText(node: PageNode): string {
  return blocks.has(nameOf(node)) ? ` ${textOf(node)} ` : inlineText(node);
}

/** The text of an inline node. */
export function inlineText(node: PageNode): string {
  if (node.nodeType === textNode) return (node.textContent ?? '').replace(/\s+/g, ' ');
  const name = nameOf(node);
  if (node.nodeType !== elementNode || silent.has(name)) return '';
  if (name === 'MATH') return formulaText(node);
  return name === 'BR' ? '\n' : textOf(node);
}

/** The text of an element. Blocks and line breaks separate words; other elements do not. */
export function textOf(node: PageNode): string {
  return joinedInline([...node.childNodes], spacedText);
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function nameOf(node: PageNode): string {
  return node.nodeName.toUpperCase();
}
