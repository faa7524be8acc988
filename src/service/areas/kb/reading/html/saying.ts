import { hasTimeOrPrice } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { fewLinks, linkShare, plainLength } from './link-share.ts';
import { inlineText } from './text-of.ts';

// Whether an element says something itself, and does not only lead elsewhere.

/** The length of the shortest sentence that says something. */
const sentenceLength = 20;

/** Whether a node has a sentence, most of it without links. @param links the share of links from which it has none */
export function hasSentence(node: PageNode, links = fewLinks): boolean {
  if (plainLength(node) < sentenceLength || linkShare(node) >= links) return false;
  // A single letter before the full stop is part of a time (`a.m.`) or of a name.
  return /(?<!(?<!\p{L})\p{L})[.!?。！？](?:\s|$)/u.test(tidy(inlineText(node)));
}

/** Whether a node has a heading with text, and few links. */
export function isSection(node: PageNode): boolean {
  if (node.nodeType !== 1 || linkShare(node) >= fewLinks) return false;
  const heading = node.querySelector(headings);
  return heading !== null && lengthOf(node) > lengthOf(heading);
}

/** Whether an element has a heading, and says something: a sentence, a time or a price. */
export function isSaying(node: PageNode): boolean {
  return isSection(node) && (hasSentence(node) || hasTimeOrPrice(node.textContent ?? ''));
}
