import { isNamedLikeClutter } from './clutter-names.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, isQuestion, lengthOf, linkShare } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { answerOf, textOf } from './html-sections.ts';
import { choices, headingFrom, isNamedLikeAnswer, levelOfLabels, makeLabelsHeadings, markAnswer, show } from './labels.ts';
import { tidy } from './sections.ts';

/** What may open a part of the page. */
const openers = 'button, [role="button"], [role="tab"], [aria-controls], a[href^="#"]';

/** The attribute of what stands after an element that opens something. */
const opened = 'data-opened';

/** Marks what stands after elements that open something, before any of it is removed. */
export function markOpened(document: PageDocument): void {
  for (const opener of document.querySelectorAll('[aria-expanded]')) opener.nextElementSibling?.setAttribute(opened, '');
}

/** Makes headings of what opens parts of the page: questions with their answers, and the names of tabs and panels. Other buttons are not text. */
export function keepOpeners(document: PageDocument): void {
  const parts = new Map(Array.from(document.querySelectorAll('[id]'), (element) => [element.getAttribute('id'), element]));
  const tabs = panelsOfTabs(document);
  const found = Array.from(document.querySelectorAll(openers), (opener) => [opener, panelOf(opener, parts) ?? tabs.get(opener)] as const);
  for (const [opener, panel] of found) keepOpener(document, opener, panel);
  makeLabelsHeadings(document);
}

function keepOpener(document: PageDocument, opener: PageNode, panel: PageNode | undefined): void {
  const isButton = /^BUTTON$/i.test(opener.nodeName);
  const heading = opener.closest(headings);
  const asks = isQuestion(opener);
  if (!(isButton && (heading !== null || asks)) && !(panel && isPanel(panel, opener, asks))) return;
  if (panel) show(panel);
  // Beside the text of a heading, a button copies its address or edits it.
  if (heading && isButton && !asks && lengthOf(heading) > lengthOf(opener)) return opener.remove();
  const isTab = panel !== undefined && opener.getAttribute('role') === 'tab';
  if (panel && follows(panel, heading ?? opener) && !isCard(heading ?? opener, panel))
    markAnswer(panel, heading ? Number(heading.nodeName.slice(1)) : levelOfLabels);
  if (heading) return opener.replaceWith(tidy(textOf(opener)));
  const label = headingFrom(document, opener);
  if (!isTab) return opener.replaceWith(label);
  panel.prepend(label);
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

/** The part of the page that an element opens. @param parts the elements of the page by their ids */
function panelOf(opener: PageNode, parts: ReadonlyMap<string | null, PageNode>): PageNode | undefined {
  const target = ['aria-controls', 'data-bs-target', 'data-target', 'href'].map((name) => opener.getAttribute(name)).find(Boolean);
  const named = target ? parts.get(target.replace(/^#/, '')) : undefined;
  if (named) return named;
  const beside = opener.nextElementSibling ?? opener.parentNode?.nextElementSibling;
  if (!beside) return undefined;
  if (panelName.test(beside.getAttribute('class') ?? '') && mayOpen(opener)) return beside;
  // What is named and not there is made by a script.
  return !target && !opener.hasAttribute('aria-haspopup') && opener.hasAttribute('aria-expanded') && opensBeside(opener, beside)
    ? beside
    : undefined;
}

/** Whether an element says that it opens what stands after it, or after its parent. */
function mayOpen(opener: PageNode): boolean {
  if (opener.nextElementSibling || opener.hasAttribute('aria-expanded') || isQuestion(opener)) return true;
  return [opener, opener.parentNode].some((node) => panelName.test(node?.getAttribute('class') ?? ''));
}

/** Whether an element opens what stands beside it: the description of a term, an answer, what is hidden, or what is alone with it. */
function opensBeside(opener: PageNode, beside: PageNode): boolean {
  if (opener.closest('dt')) return true;
  if (!beside.hasAttribute(opened) || opener.closest('p') || beside.querySelector(choices)) return false;
  if (isQuestion(opener)) return true;
  if (isNamedLikeClutter(beside)) return false;
  const areAlone = !opener.previousElementSibling && !beside.nextElementSibling && !/^BODY$/i.test(opener.parentNode?.nodeName ?? '');
  return isHidden(beside) || isNamedLikeAnswer(beside) || areAlone;
}

/** The panels in the places of tabs, where there is one for each. */
function panelsOfTabs(document: PageDocument): Map<PageNode, PageNode> {
  const pairs = new Map<PageNode, PageNode>();
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    const tabs = [...list.querySelectorAll('[role="tab"]')];
    const panels = [...(list.parentNode?.querySelectorAll('[role="tabpanel"]') ?? [])];
    if (tabs.length === panels.length) for (const [index, tab] of tabs.entries()) pairs.set(tab, panels[index] as PageNode);
  }
  return pairs;
}

/** Whether an element is a hidden answer, or text that a click opens below or beside its label, and no menu, cart or form. */
function isPanel(panel: PageNode, opener: PageNode, asks: boolean): boolean {
  if (asks && isHidden(panel)) return true;
  const isBeside = opener.nextElementSibling === panel || opener.parentNode?.nextElementSibling === panel;
  // Checked first: many links of a long page lead to long parts of it.
  if (!isBeside && panel.getAttribute('role') !== 'tabpanel') return false;
  return lengthOf(panel) > 0 && linkShare(panel) <= 0.5 && panel.querySelector(inputs) === null;
}
