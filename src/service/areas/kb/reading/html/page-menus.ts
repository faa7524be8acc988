import { price } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, isQuestion, lengthOf } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { headingFrom, levelOfLabels } from './labels.ts';
import { nameWith } from './names.ts';
import { menuHeading, skipLink } from './phrases.ts';
import { textOf } from './text-of.ts';
import { answerOf } from './write-elements.ts';

/**
 * Removes menus of links to the parts of a page, which are read themselves. What a colon or a heading introduces is an answer. The
 * names of parts that stand beside their menu without a heading, such as tabs, become their headings.
 */
export function removePageMenus(document: PageDocument): void {
  const parts = new Map<string, PageNode>();
  for (const part of document.querySelectorAll('[id], a[name]'))
    if (isSeen(part)) for (const name of ['id', 'name']) if (part.getAttribute(name)) parts.set(`#${part.getAttribute(name)}`, part);
  const partOf = (link: PageNode) => parts.get(link.getAttribute('href') ?? '');
  const links = [...document.querySelectorAll('a[href^="#"]')].filter((link) => partOf(link) && isPlain(link));
  for (const link of links) if (isSliderButton(link, partOf(link))) link.remove();
  for (const [menu, own] of menusOf(links)) {
    const led = new Map(own.map((link) => [partOf(link), link]));
    if (led.size < 2 || isIntroduced(menu) || isInText(menu) || led.keys().some((part) => part && isWithin(part, menu))) continue;
    const next = nextOf(menu);
    const areTabs = next && led.keys().some((part) => part && isWithin(part, next));
    const unnamed = [...led].filter(([part, link]) => part && isTab(part, link) && !isNamed(part, link));
    // Elsewhere, the menu is all that says what a part without a heading is.
    if (!areTabs && unnamed.length > 0) continue;
    for (const [part, link] of unnamed) if (part) addHeading(document, part, link);
    menu.remove();
  }
}

/** What a click shows above a page. */
const popup = '[class~="modal" i], [class~="popup" i], [class~="lightbox" i], [class~="mfp-hide" i]';

/** Whether an element is no panel that a click opens. */
function isSeen(part: PageNode): boolean {
  if (part.closest(popup)) return false;
  return !isHidden(part) && part.getAttribute('role') !== 'tabpanel' && !panelName.test(part.getAttribute('class') ?? '');
}

/** Whether a link is a name in a menu, and not a question, a heading, or a box with text of its own. */
function isPlain(link: PageNode): boolean {
  if (lengthOf(link) === 0 || isQuestion(link) || price.test(link.textContent ?? '')) return false;
  return !link.querySelector(`${headings}, p, li`) && !link.closest(headings);
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

/** Whether a colon or a heading before links says what they are. */
function isIntroduced(menu: PageNode): boolean {
  let before = menu.previousElementSibling;
  while (before && lengthOf(before) === 0) before = before.previousElementSibling;
  const text = tidy(before?.textContent ?? '');
  return text.endsWith(':') || (before !== null && /^H[2-6]$/i.test(before.nodeName) && !menuHeading.test(text));
}

/** Whether links are words of a text, of a list or of a table. */
function isInText(menu: PageNode): boolean {
  if (menu.parentNode?.closest('p, li, dl, table, pre, code')) return true;
  return [menu.previousSibling, menu.nextSibling].some((node) => node?.nodeType === 3 && lengthOf(node) > 0);
}

function isWithin(part: PageNode, element: PageNode): boolean {
  let node: PageNode | null = part;
  while (node && node !== element) node = node.parentNode;
  return node !== null;
}

/** The class of pictures that buttons show one after the other. */
const sliderName = nameWith('carousel|slider|slide-?show|swiper');

/** Whether a link is a button of a slider, such as that to its next picture. */
function isSliderButton(link: PageNode, part: PageNode | undefined): boolean {
  if (!part || !sliderName.test(part.getAttribute('class') ?? '')) return false;
  return /^\P{N}{1,20}$/u.test(tidy(link.textContent ?? '')) && isWithin(link, part);
}

/** What stands after a menu, or after its parent. */
function nextOf(menu: PageNode): PageNode | undefined {
  return menu.nextElementSibling ?? menu.parentNode?.nextElementSibling ?? undefined;
}

/** Whether a part of a page has no heading, and a link has words that can be one, unlike the number of a picture. */
function isTab(part: PageNode, link: PageNode): boolean {
  return /^(?:DIV|SECTION|ARTICLE)$/i.test(part.nodeName) && !part.querySelector(headings) && /\p{L}{2}/u.test(link.textContent ?? '');
}

/** Whether a part says itself what a link to it is called, or the link does not say it. */
function isNamed(part: PageNode, link: PageNode): boolean {
  const name = tidy(textOf(link)).toLowerCase();
  if (skipLink.test(name) || part.previousElementSibling?.matches(headings)) return true;
  return tidy(part.textContent ?? '')
    .toLowerCase()
    .includes(name);
}

function addHeading(document: PageDocument, part: PageNode, link: PageNode): void {
  part.prepend(headingFrom(document, link));
  part.setAttribute(answerOf, String(levelOfLabels));
}
