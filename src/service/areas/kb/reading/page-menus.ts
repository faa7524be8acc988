import type { PageDocument, PageNode } from './dom.ts';
import { isQuestion, lengthOf } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { tidy } from './sections.ts';

/** Removes menus of links to the parts of a page, which are read themselves. What a colon introduces is an answer. */
export function removePageMenus(document: PageDocument): void {
  const elements = [...document.querySelectorAll('[id], [name]')].filter(isSeen);
  const parts = new Set(elements.flatMap((part) => ['id', 'name'].map((name) => `#${part.getAttribute(name) ?? ''}`)));
  const links = [...document.querySelectorAll('a[href^="#"]')].filter((link) => parts.has(link.getAttribute('href') ?? ''));
  for (const menu of menusOf(links.filter((link) => lengthOf(link) > 0 && !isQuestion(link)))) if (!isIntroduced(menu)) menu.remove();
}

/** Whether an element is no panel that a click opens. */
function isSeen(part: PageNode): boolean {
  return !isHidden(part) && part.getAttribute('role') !== 'tabpanel' && !panelName.test(part.getAttribute('class') ?? '');
}

/** The outermost elements that consist of several of some links. */
function menusOf(links: readonly PageNode[]): Set<PageNode> {
  const known = new Map<PageNode, boolean>(links.map((link) => [link, true]));
  const isMenu = (node: PageNode): boolean => {
    const is = known.get(node) ?? (node.nodeType === 1 ? [...node.childNodes].every(isMenu) : isBetweenLinks(node));
    known.set(node, is);
    return is;
  };
  const counts = new Map<PageNode, number>();
  for (const link of links) {
    let menu = link;
    while (menu.parentNode && !/^BODY$/i.test(menu.parentNode.nodeName) && isMenu(menu.parentNode)) menu = menu.parentNode;
    counts.set(menu, (counts.get(menu) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count > 1).map(([menu]) => menu));
}

/** Whether a node has no text, or what stands between links. */
function isBetweenLinks(node: PageNode): boolean {
  return node.nodeType !== 3 || /^[\s|·•›»>/,[\]–-]*$/u.test(node.textContent ?? '');
}

function isIntroduced(menu: PageNode): boolean {
  return tidy(menu.previousElementSibling?.textContent ?? '').endsWith(':');
}
