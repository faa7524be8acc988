import type { PageDocument, PageNode } from './dom.ts';
import { lengthOf, replaceBy } from './elements.ts';
import { isNamedLikeAnswer } from './labels.ts';
import { halfLinks, linkShare, plainLength } from './link-share.ts';
import { hasSentence } from './saying.ts';

/** Removes the navigation of the site. Text with few links is none, such as the answers of a list that a click opens. */
export function removeNavigation(document: PageDocument): void {
  const opened = new Set(Array.from(document.querySelectorAll('[aria-controls]'), (opener) => opener.getAttribute('aria-controls')));
  for (const element of document.querySelectorAll('nav, [role="navigation"]'))
    if (element !== document.body) removeOrKeep(document, element, opened);
}

/** @param opened the ids of what clicks open */
function removeOrKeep(document: PageDocument, element: PageNode, opened: ReadonlySet<string | null>): void {
  const isText =
    !element.querySelector('a[href]') || (!isMenu(element) && hasSentence(element, halfLinks) && linkShare(element, 'a[href]') < halfLinks);
  if (lengthOf(element) === 0 || !isText) return element.remove();
  const plain = replaceBy(document, element, 'div');
  const id = element.getAttribute('id');
  if (id !== null && opened.has(id)) plain.setAttribute('id', id);
  if (isNamedLikeAnswer(element)) plain.setAttribute('class', 'answer');
}

/** Whether links begin several boxes, as in a menu that describes where they lead, or are all of an item of a list. */
function isMenu(element: PageNode): boolean {
  const boxes = [...element.querySelectorAll('li, div')];
  const linked = boxes.filter((box) => /^A$/i.test([...box.childNodes].find((node) => lengthOf(node) > 0)?.nodeName ?? ''));
  return linked.length > 1 || linked.some((box) => /^LI$/i.test(box.nodeName) && plainLength(box, 'a[href]') === 0);
}
