import type { PageDocument, PageNode } from './dom.ts';
import { headings, isQuestion, lengthOf, price } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { textOf } from './html-sections.ts';
import { tidy } from './sections.ts';

/**
 * Removes menus of links to the parts of a page, which are read themselves. What a colon introduces is an answer. The names of parts
 * that stand beside their menu without a heading, such as tabs, become their headings.
 */
export function removePageMenus(document: PageDocument): void {
  const parts = new Map<string, PageNode>();
  for (const attribute of ['id', 'name'])
    for (const part of document.querySelectorAll(`[${attribute}]`)) if (isSeen(part)) parts.set(`#${part.getAttribute(attribute)}`, part);
  const partOf = (link: PageNode) => parts.get(link.getAttribute('href') ?? '');
  const links = [...document.querySelectorAll('a[href^="#"]')].filter((link) => partOf(link) && isPlain(link));
  for (const [menu, own] of menusOf(links)) {
    const led = new Map(own.map((link) => [partOf(link), link]));
    if (led.size < 2 || isIntroduced(menu)) continue;
    for (const [part, link] of led) if (part && isBeside(part, menu) && !part.querySelector(headings)) addHeading(document, part, link);
    menu.remove();
  }
}

/** Whether an element is no panel that a click opens. */
function isSeen(part: PageNode): boolean {
  return !isHidden(part) && part.getAttribute('role') !== 'tabpanel' && !panelName.test(part.getAttribute('class') ?? '');
}

/** Whether a link is a name in a menu, and not a question, or a box with text of its own. */
function isPlain(link: PageNode): boolean {
  return lengthOf(link) > 0 && !isQuestion(link) && !link.querySelector(`${headings}, p, li`) && !price.test(link.textContent ?? '');
}

/** The outermost elements that consist of links, with these. */
function menusOf(links: readonly PageNode[]): Map<PageNode, PageNode[]> {
  const known = new Map<PageNode, boolean>(links.map((link) => [link, true]));
  const isMenu = (node: PageNode): boolean => {
    const is = known.get(node) ?? (node.nodeType === 1 ? [...node.childNodes].every(isMenu) : isBetweenLinks(node));
    known.set(node, is);
    return is;
  };
  return Map.groupBy(links, (link) => {
    let menu = link;
    while (menu.parentNode && !/^BODY$/i.test(menu.parentNode.nodeName) && isMenu(menu.parentNode)) menu = menu.parentNode;
    return menu;
  });
}

/** Whether a node has no text, or what stands between links. */
function isBetweenLinks(node: PageNode): boolean {
  return node.nodeType !== 3 || /^[\s|·•›»>/,[\]–-]*$/u.test(node.textContent ?? '');
}

function isIntroduced(menu: PageNode): boolean {
  return tidy(menu.previousElementSibling?.textContent ?? '').endsWith(':');
}

function isBeside(part: PageNode, menu: PageNode): boolean {
  return /^(?:DIV|SECTION|ARTICLE)$/i.test(part.nodeName) && [menu.parentNode, menu.parentNode?.parentNode].includes(part.parentNode);
}

function addHeading(document: PageDocument, part: PageNode, link: PageNode): void {
  const heading = document.createElement('h6');
  heading.textContent = tidy(textOf(link));
  part.prepend(heading);
}
