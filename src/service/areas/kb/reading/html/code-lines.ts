import type { PageNode } from './dom.ts';
import { blocks, elementNode, nameOf, silent, textNode } from './text-of.ts';

/** The text of code. Highlighters make an element of each line, and may leave the line breaks to the style sheet. */
export function linesOfCode(node: PageNode): string {
  let text = '';
  for (const child of node.childNodes) {
    const name = nameOf(child);
    if (child.nodeType === textNode) text += child.textContent ?? '';
    else if (name === 'BR') text += '\n';
    else if (child.nodeType === elementNode && !silent.has(name)) {
      const line = linesOfCode(child);
      const isLine =
        blocks.has(name) || isBlock(child) || lineName.test(child.getAttribute('class') ?? '') || child.hasAttribute('data-line');
      text += isLine && !line.endsWith('\n') ? `${line}\n` : line;
    }
  }
  return text;
}

/** The class of an element that is a line of code. */
const lineName = /(?:^|\s)(?:(?:hljs-|code-?|token-|view-|crayon-|highlight-)?line|cl|row)(?:\s|$)/i;

/** Whether the style of an element puts it on a line of its own. */
function isBlock(element: PageNode): boolean {
  return /(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row)/i.test(element.getAttribute('style') ?? '');
}
