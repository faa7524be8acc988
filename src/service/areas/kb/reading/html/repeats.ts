import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';

/** The class of an element that only some screens show. */
const ofScreens =
  /(?:^|\s)(?:d-\S*none|(?:\w+:)?hidden|hidden-\S+|visible-\S+|(?:show|hide)-for-\S+|elementor-hidden-\S+|(?:mobile|desktop)-only)(?:\s|$)/;

/** Removes what a page says twice in a row, for wide and for narrow screens. */
export function removeRepeats(document: PageDocument): void {
  for (const element of [...document.body.querySelectorAll('[class]')]) if (isRepeat(element)) element.remove();
}

function isRepeat(element: PageNode): boolean {
  const before = element.previousElementSibling;
  if (!before || ![before, element].every(isOfScreens) || /^(?:TD|TH|LI|DD)$/i.test(element.nodeName)) return false;
  // What the same screens show, they show twice: cells beside each other with the same value.
  if (before.getAttribute('class') === element.getAttribute('class')) return false;
  const text = tidy(element.textContent ?? '');
  return text !== '' && text === tidy(before.textContent ?? '');
}

function isOfScreens(element: PageNode): boolean {
  return ofScreens.test(element.getAttribute('class') ?? '');
}
