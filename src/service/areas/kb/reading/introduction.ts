import { hasSentence } from './clutter.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { commonParent, lengthOf, linkShare } from './elements.ts';

/** How much longer than the content the element may be that contains its title too. */
const titleShare = 2;

/** Elements of running text that may stand between a title and the content. */
const introductions = 'p, ul, ol, dl, blockquote, pre, table';

/** Puts the introduction that stands between the title of the page and its content before the content. */
export function withIntroduction(document: PageDocument, content: PageNode): PageNode {
  const title = document.querySelector('h1');
  const both = title && commonParent([content, title]);
  if (!both || lengthOf(both) > lengthOf(content) * titleShare) return content;
  const elements = [...both.querySelectorAll('*')];
  const between = elements.slice(elements.indexOf(title) + 1, Math.max(0, elements.indexOf(content)));
  const texts = between.filter((element) => element.matches(introductions) && isIntroduction(element, content));
  const outer = texts.filter((text) => !texts.some((other) => other === text.parentNode?.closest(introductions)));
  for (const text of outer.reverse()) content.prepend(text);
  return content;
}

/** Whether an element between a title and the content has a sentence or facts, and is not what a picture shows. */
function isIntroduction(element: PageNode, content: PageNode): boolean {
  if (element.closest('figure') || commonParent([element, content]) === element) return false;
  return hasSentence(element) || (/^TABLE$/i.test(element.nodeName) && linkShare(element) < 0.3);
}
