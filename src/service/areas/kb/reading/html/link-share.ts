import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';

// How much of an element is links to other pages.

/** A link to another page. */
export const linksElsewhere = 'a[href]:not([href^="#"])';

/** The link within a heading, or the heading within a link, to another page. */
export const linkedHeading = headings
  .split(', ')
  .flatMap((name) => [`${name} ${linksElsewhere}`, `${linksElsewhere} ${name}`])
  .join();

/** The number of characters of a node's text that is not in links to other pages. @param links the links that count */
export function plainLength(node: PageNode, links = linksElsewhere): number {
  let length = lengthOf(node);
  if (node.nodeType !== 1) return length;
  for (const link of node.querySelectorAll(links)) length -= lengthOf(link);
  return length;
}

/** The share of a node's text that is in links to other pages. @param links the links that count */
export function linkShare(node: PageNode, links = linksElsewhere): number {
  return 1 - plainLength(node, links) / Math.max(1, lengthOf(node));
}

/** Whether a heading leads to another page. */
export function isLinked(heading: PageNode): boolean {
  return heading.querySelector(linksElsewhere) !== null || heading.closest(linksElsewhere) !== null;
}

// Chosen on the measured pages of the tests: below `fewLinks` an element says something itself, from `halfLinks` on it is a menu, from
// `mostLinks` on a list of links, and with more than `onlyLinks` it has nothing else.
export const fewLinks = 0.3;
export const halfLinks = 0.5;
export const mostLinks = 0.6;
export const onlyLinks = 0.9;
