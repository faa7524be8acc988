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
  const elements = [...document.body.querySelectorAll(hidden)].filter((element) => isHidden(element) && !isOpened(element));
  const all = new Set(elements);
  const outer = elements.filter((element) => !hasParentAmong(element, all));
  const size = outer.reduce((sum, element) => sum + lengthOf(element), 0);
  if (size < lengthOf(document.body) / 2) for (const element of elements) element.remove();
  removeRepeats(document);
}

/** Removes what a page says twice, for narrow and for wide screens. */
function removeRepeats(document: PageDocument): void {
  for (const element of [
    ...document.body.querySelectorAll('[class*="none" i], [class*="hid" i], [class*="mobile" i], [class*="visible-" i]'),
  ]) {
    const text = tidy(element.textContent ?? '');
    const before = element.previousElementSibling;
    if (text !== '' && ofScreens.test(element.getAttribute('class') ?? '') && before && tidy(before.textContent ?? '') === text)
      element.remove();
  }
}

/** The class of an element that only some screens show. */
const ofScreens =
  /(?:^|\s)(?:d-(?:(?:sm|md|lg|xl|xxl)-)?none|(?:sm|md|lg|xl|2xl):hidden|hidden|hidden-(?:xs|sm|md|lg)\S*|visible-(?:xs|sm|md|lg)\S*|(?:show|hide)-for-\S+|(?:mobile|desktop)-only)(?:\s|$)/;

function hasParentAmong(element: PageNode, elements: ReadonlySet<PageNode>): boolean {
  let parent = element.parentNode;
  while (parent && !elements.has(parent)) parent = parent.parentNode;
  return parent !== null;
}

export function isHidden(element: PageNode): boolean {
  if (element.hasAttribute('hidden') || /^true$/i.test(element.getAttribute('aria-hidden') ?? '')) return true;
  const [style, names] = [element.getAttribute('style') ?? '', (element.getAttribute('class') ?? '').split(/\s+/)];
  if (/(?:^|;)\s*display\s*:\s*none/i.test(style)) return true;
  if (names.includes('invisible') || /(?:^|;)\s*visibility\s*:\s*hidden/i.test(style)) return !names.some((name) => fadesIn.test(name));
  // With some frameworks, an element is hidden on small screens only.
  const isShown = names.some((name) => /(?::|^d-\w+-)(?:block|flex|grid|inline|table|contents)/.test(name));
  return ['hidden', 'd-none'].some((name) => names.includes(name)) && !isShown;
}

/** The class of what a script shows when a visitor scrolls to it. */
const fadesIn = /^(?:wow|aos|anim|fade|reveal|slide|zoom)/i;

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
