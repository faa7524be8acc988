import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { plainLength } from './link-share.ts';
import { hasClutterClass } from './names.ts';
import { isSaying, isSection } from './saying.ts';

// Which elements beside an element are content as it is.

/**
 * Whether an element is a part of a page: it and at least two siblings each have a heading and say something. If it holds two thirds of
 * their text, it is none where two of those siblings share a word of their classes with each other, and not with it.
 */
export function isPart(element: PageNode): boolean {
  const parent = element.parentNode;
  if (!parent || hasClutterClass(element)) return false;
  const beside = [...parent.childNodes].filter((node) => node !== element && node.nodeName === element.nodeName && !hasClutterClass(node));
  if (beside.length < 2) return false;
  const others = beside.filter(isSaying);
  if (others.length < 2 || !isSection(element)) return false;
  if (plainLength(element) <= plainLength(parent) * mostOfParts) return true;
  const boxes = others.filter((node) => !isCalledLike(node, element));
  return !boxes.some((box, index) => boxes.slice(index + 1).some((other) => isCalledLike(box, other)));
}

/** The share of the text of all parts from which one is most of them. */
const mostOfParts = 2 / 3;

/** Whether the classes of two elements have a word in common, or neither has one. */
export function isCalledLike(one: PageNode, other: PageNode): boolean {
  const words = classWords(one);
  const others = classWords(other);
  return words.length === 0 ? others.length === 0 : words.some((word) => others.includes(word));
}

function classWords(element: PageNode): string[] {
  return (element.getAttribute('class') ?? '').split(/[\s_-]+/).filter((word) => word.length > 1);
}

/** Whether an element is a part of a page like another, with the same name and class. */
export function isPeer(other: PageNode, element: PageNode): boolean {
  if (other.nodeName !== element.nodeName) return false;
  // What AsciiDoc and DocBook set before the first section.
  if ([other, element].some((node) => node.getAttribute('id') === 'preamble' && !node.querySelector('h1'))) return true;
  if (/^ref(?:namediv|synopsisdiv)$/.test(other.getAttribute('class') ?? '')) return true;
  if (/^(SECTION|ARTICLE)$/i.test(element.nodeName)) return true;
  const name = element.getAttribute('class') ?? '';
  if (name === '' || other.getAttribute('class') !== name) return false;
  // What every box of a page is called says nothing of its kind.
  return other.querySelector(headings) !== null || element.parentNode?.getAttribute('class') !== name;
}

/** Whether an element is the head or the foot of one of several boxes in a row, such as plans with their prices, or of their columns. */
export function endsBox(element: PageNode): boolean {
  let box = element.parentNode;
  // What is all of its box does not end it.
  if (!box || element.hasAttribute('id') || lengthOf(box) <= lengthOf(element)) return false;
  // Alone in a column.
  if (!box.previousElementSibling && !box.nextElementSibling) box = box.parentNode ?? box;
  const isAlike = (other: PageNode) => other.nodeName === element.nodeName && other.getAttribute('class') === element.getAttribute('class');
  return [box.previousElementSibling, box.nextElementSibling].some(
    (beside) => beside && isPeer(beside, box) && partsOf(beside).some(isAlike),
  );
}

/** The elements in a box, and those in the only one. */
function partsOf(box: PageNode): PageNode[] {
  const elementsOf = (node: PageNode) => [...node.childNodes].filter((each) => each.nodeType === 1);
  const [first, ...others] = elementsOf(box);
  if (!first) return [];
  return others.length === 0 ? [first, ...elementsOf(first)] : [first, ...others];
}
