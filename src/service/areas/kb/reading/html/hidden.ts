import { hasFact } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, isQuestion, lengthOf } from './elements.ts';
import { namesOf, nameWith } from './names.ts';

/** The class of an element that a click opens. */
export const panelName = nameWith('tab|tab-?(?:pane|panel|content)|panel|accordion|collapse|collapsible|answer');

/** How pages hide elements. */
const hidden = '[hidden], [aria-hidden="true" i], [style], .hidden, .d-none, .invisible';

/** Removes hidden elements. Keeps those that a visitor can open, and all if they are half of the page or more, because a script then shows them. */
export function removeHidden(document: PageDocument): void {
  const elements = [...document.body.querySelectorAll(hidden)].filter(
    (element) => isHidden(element) && !isOpened(element) && !isDrawn(element),
  );
  const all = new Set(elements);
  const outer = elements.filter((element) => !hasParentAmong(element, all));
  const size = outer.reduce((sum, element) => sum + lengthOf(element), 0);
  if (size < lengthOf(document.body) / 2) for (const element of elements) element.remove();
}

/** Whether an element is a formula, which browsers without MathML show as a picture after it. */
function isDrawn(element: PageNode): boolean {
  return element.querySelector('math') !== null && element.nextElementSibling?.matches('img') === true;
}

function hasParentAmong(element: PageNode, elements: ReadonlySet<PageNode>): boolean {
  let parent = element.parentNode;
  while (parent && !elements.has(parent)) parent = parent.parentNode;
  return parent !== null;
}

export function isHidden(element: PageNode): boolean {
  if (element.hasAttribute('hidden') || /^true$/i.test(element.getAttribute('aria-hidden') ?? '')) return true;
  const style = element.getAttribute('style') ?? '';
  if (/(?:^|;)\s*display\s*:\s*none/i.test(style)) return true;
  const names = (element.getAttribute('class') ?? '').split(/\s+/);
  if (names.includes('invisible') || /(?:^|;)\s*visibility\s*:\s*hidden/i.test(style)) return !isShownLater(element, names);
  // With some frameworks, an element is hidden on small screens only.
  return ['hidden', 'd-none'].some((name) => names.includes(name)) && !names.some((name) => shownName.test(name));
}

/** The class of an element that is hidden on some screens, and shown on others. */
const shownName = /(?::|^d-\w+-)(?:block|flex|grid|inline|table|contents|visible)/;

/** Whether a script or a wide screen shows an element that is invisible at first. Messages of forms have no heading and no facts. */
function isShownLater(element: PageNode, names: readonly string[]): boolean {
  if (names.some((name) => shownName.test(name) || fadesIn.test(name)) || element.hasAttribute('data-aos')) return true;
  return element.querySelector(headings) !== null || hasFact(tidy(element.textContent ?? ''));
}

/** The class of what a script shows when a visitor scrolls to it. */
const fadesIn = /^(?:wow|aos|anim|fade|reveal|slide|zoom|wpb_animate)/i;

/** Whether a visitor can open an element that is hidden at first: the panel of a tab, or what follows a heading. */
function isOpened(element: PageNode): boolean {
  if (element.getAttribute('role') === 'tabpanel' || element.closest('details') || panelName.test(element.getAttribute('class') ?? ''))
    return true;
  if (/^until-found$/i.test(element.getAttribute('hidden') ?? '')) return true;
  const before = element.previousElementSibling;
  if (before === null) return false;
  if (/^(H[1-6]|DT|SUMMARY)$/i.test(before.nodeName) || isQuestion(before)) return true;
  const heading = before.querySelector(headings);
  if (heading === null) return false;
  return (
    lengthOf(before) <= lengthOf(heading) + besideHeading || moreName.test(namesOf(element)) || hasFact(tidy(element.textContent ?? ''))
  );
}

/** The class of what goes on with a text when a visitor asks for more. */
const moreName = nameWith('more|details?|rest|full|extra|content|text');

/** The most text that stands beside the heading of what a click opens. */
const besideHeading = 40;
