import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, isQuestion, lengthOf } from './elements.ts';
import { headingFrom, levelOfLabels, makeLabelsHeadings, markAnswer, show } from './labels.ts';
import { isAfter, isPanel, panelOf, panelsOfTabs, partsById } from './panels.ts';
import { textOf } from './text-of.ts';
import { answerOf } from './write-elements.ts';

/** What may open a part of the page. */
const openers = 'button, [role="button"], [role="tab"], [aria-controls], a[href^="#"], label[for]';

/** Makes headings of what opens parts of the page: questions with their answers, and the names of tabs and panels. Other buttons are not text. */
export function keepOpeners(document: PageDocument): void {
  const parts = partsById(document);
  const tabs = panelsOfTabs(document, parts);
  const found = Array.from(document.querySelectorAll(openers), (opener) => [opener, tabs.get(opener) ?? panelOf(opener, parts)] as const);
  for (const [opener, panel] of found) keepOpener(document, opener, panel, tabs.has(opener));
  makeLabelsHeadings(document);
}

/** @param isPaired whether the part was found by its place among others */
function keepOpener(document: PageDocument, opener: PageNode, part: PageNode | undefined, isPaired: boolean): void {
  const heading = opener.closest(headings);
  const asks = isQuestion(opener);
  const isButton = /^BUTTON$/.test(opener.nodeName);
  const isOpened = part && (isPaired || isPanel(part, opener, asks) || (isButton && heading !== null && isAfter(part, heading)));
  const panel = isOpened ? part : undefined;
  if ((!panel && !(isButton && (heading !== null || asks))) || !/[\p{L}\p{N}]/u.test(opener.textContent ?? '')) return;
  if (panel) show(panel);
  if (panel && (isPaired || opener.getAttribute('role') === 'tab')) return nameTab(document, opener, panel);
  // Beside the text of a heading, a button copies its address or edits it.
  if (heading && isButton && !asks && lengthOf(heading) > lengthOf(opener)) return opener.remove();
  if (panel && follows(panel, heading ?? opener) && !isCard(heading ?? opener, panel))
    markAnswer(panel, heading ? Number(heading.nodeName.slice(1)) : levelOfLabels);
  opener.replaceWith(heading ? tidy(textOf(opener)) : headingFrom(document, opener));
}

/** Puts the name of a tab above its panel. */
function nameTab(document: PageDocument, opener: PageNode, panel: PageNode): void {
  panel.prepend(headingFrom(document, opener));
  panel.setAttribute(answerOf, String(levelOfLabels));
  opener.remove();
}

/** Whether a panel stands directly after an element, or after the one that contains nothing else. */
function follows(panel: PageNode, element: PageNode): boolean {
  const before = panel.previousElementSibling;
  return before === element || (before !== null && before === element.parentNode && lengthOf(before) === lengthOf(element));
}

/** Whether a panel is only the first text below the heading of a box. */
function isCard(heading: PageNode, panel: PageNode): boolean {
  const next = panel.nextElementSibling;
  if (!next || heading.previousElementSibling || lengthOf(next) === 0) return false;
  return !next.matches(`${headings}, ${openers}`) && !next.querySelector(`${headings}, ${openers}`);
}
