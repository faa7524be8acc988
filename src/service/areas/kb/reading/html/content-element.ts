import type { PageDocument, PageNode } from './dom.ts';
import { articleElements, commonParent, mainElements, outermost } from './elements.ts';
import { foundContent } from './found-content.ts';
import { withLead } from './introduction.ts';
import { plainLength } from './link-share.ts';
import { isSection } from './saying.ts';

/**
 * The element that contains all of the main content: what the page marks as such, or else what the library finds, with its peers.
 */
export function contentElement(document: PageDocument): PageNode {
  const marked = markedContent(document);
  return marked ? withLead(document, marked) : (foundContent(document) ?? document.body);
}

/** The content that the page marks, if that is most of its text. Several parts are joined. */
function markedContent(document: PageDocument): PageNode | null {
  const mains = outermost(document, mainElements);
  const articles = outermost(document, articleElements);
  const content = mains.length > 0 ? commonParent(mains) : withSections(commonParent(articles));
  const beside = outermost(document, 'header, footer, aside').filter((element) => !element.closest(mainElements));
  const size = plainLength(document.body) - beside.reduce((sum, element) => sum + plainLength(element), 0);
  return content && plainLength(content) >= size / 2 ? content : null;
}

/** A section of a page that has articles, together with the sections beside it. */
function withSections(content: PageNode | null): PageNode | null {
  if (!content?.parentNode || !/^SECTION$/i.test(content.nodeName)) return content;
  const others = [...content.parentNode.childNodes].filter((node) => node !== content && /^SECTION$/i.test(node.nodeName));
  return others.some(isSection) ? content.parentNode : content;
}
