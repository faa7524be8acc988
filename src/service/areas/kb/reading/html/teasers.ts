import { hasPriceOrNumber, price } from '../prices.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { articleElements, hasLine, headings, lengthOf, outermost } from './elements.ts';
import { fewLinks, isLinked, linkedHeading, linkShare, plainLength } from './link-share.ts';
import { menuName, namesOf } from './names.ts';

/** Removes teasers that lead to other pages, unless they are most of the page. */
export function removeTeasers(document: PageDocument): void {
  const articles = outermost(document, articleElements);
  const short = articles.filter(isTeaser);
  // Offers lead to more about them. Some of a list may have no price.
  const listOf = listsOf(articles);
  const offers = new Set(short.filter(hasPrice).map(listOf));
  const teasers = short.filter((teaser) => !offers.has(listOf(teaser)));
  const size = teasers.reduce((sum, teaser) => sum + lengthOf(teaser), 0);
  const lists = new Set(teasers.map(listOf));
  const hasOther = articles.some((article) => !lists.has(listOf(article)));
  if (hasOther || size < lengthOf(document.body) / 2) for (const teaser of teasers) teaser.remove();
}

/** The length from which an article is no teaser, and from which a heading with a link is one of its own, both without links. */
const teaserLength = 600;
const headingLength = 10;

/** Whether an article is a teaser: a short one, whose first heading is a link to another page. */
function isTeaser(article: PageNode): boolean {
  const heading = article.querySelector(headings);
  if (!heading || !article.querySelector(linkedHeading) || plainLength(article) >= teaserLength) return false;
  return plainLength(heading) < headingLength || heading.closest('a[href]') !== null;
}

/** Whether an article has a line with a price, and not only a headline with an amount. */
function hasPrice(article: PageNode): boolean {
  return hasLine(article, (text) => price.test(text));
}

/** Tells the list of an article: the innermost element that has others too. */
function listsOf(articles: readonly PageNode[]): (article: PageNode) => PageNode | null {
  const seen = new Set<PageNode>();
  const shared = new Set<PageNode>();
  for (const article of articles)
    for (let node = article.parentNode; node && !shared.has(node); node = node.parentNode) (seen.has(node) ? shared : seen).add(node);
  return (article) => {
    let list = article.parentNode;
    while (list && !shared.has(list)) list = list.parentNode;
    return list;
  };
}

/** Whether an element shows other pages, each with a heading that is a link; it can have a heading of its own. */
export function hasTeasers(element: PageNode): boolean {
  // The dishes of a restaurant can have pages of their own.
  if (menuName.test(namesOf(element)) && linkShare(element) < fewLinks) return false;
  const all = [...element.querySelectorAll(headings)];
  const linked = all.filter(isLinked);
  return linked.length > 0 && linked.length >= all.length - 1;
}

/** Whether an element shows other pages, and no prices or numbers to call. */
export function isTeasers(element: PageNode): boolean {
  return hasTeasers(element) && !hasPriceOrNumber(element.textContent ?? '');
}
