import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, isQuestion, lengthOf, linkShare } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { textOf } from './html-sections.ts';
import { makeLabelsHeadings, show } from './labels.ts';
import { tidy } from './sections.ts';

/** What may open a part of the page. */
const openers = 'button, [role="button"], [role="tab"], [aria-controls], a[href^="#"]';

/** Makes headings of what opens parts of the page: questions with their answers, and the names of tabs and panels. Other buttons are not text. */
export function keepOpeners(document: PageDocument): void {
  const parts = new Map(Array.from(document.querySelectorAll('[id]'), (element) => [element.getAttribute('id'), element]));
  const found = Array.from(document.querySelectorAll(openers), (opener) => [opener, panelOf(opener, parts)] as const);
  for (const [opener, panel] of found) keepOpener(document, opener, panel);
  makeLabelsHeadings(document);
}

function keepOpener(document: PageDocument, opener: PageNode, panel: PageNode | undefined): void {
  const isButton = /^BUTTON$/i.test(opener.nodeName);
  const heading = opener.closest(headings);
  const asks = isQuestion(opener);
  if (!(isButton && (heading !== null || asks)) && !(panel && isPanel(panel, opener, asks))) return;
  if (panel) show(panel);
  const text = tidy(textOf(opener));
  // Beside the text of a heading, a button copies its address or edits it.
  if (heading) return isButton && !asks && lengthOf(heading) > lengthOf(opener) ? opener.remove() : opener.replaceWith(text);
  const label = document.createElement('h6');
  label.textContent = text;
  if (panel && opener.getAttribute('role') === 'tab') {
    panel.prepend(label);
    opener.remove();
  } else opener.replaceWith(label);
}

/** The part of the page that an element opens. @param parts the elements of the page by their ids */
function panelOf(opener: PageNode, parts: ReadonlyMap<string | null, PageNode>): PageNode | undefined {
  const target = ['aria-controls', 'data-bs-target', 'data-target', 'href'].map((name) => opener.getAttribute(name)).find(Boolean);
  const named = target ? parts.get(target.replace(/^#/, '')) : undefined;
  if (named) return named;
  if (opener.getAttribute('role') === 'tab') return panelOfTab(opener);
  const next = opener.nextElementSibling;
  const beside = next ?? opener.parentNode?.nextElementSibling;
  const opensNext = opener.hasAttribute('aria-expanded') && (next !== null || opener.closest('dt') !== null);
  if (beside && opensNext) return beside;
  return beside && panelName.test(beside.getAttribute('class') ?? '') ? beside : undefined;
}

/** The panel in the place of a tab, where there is one for each. */
function panelOfTab(tab: PageNode): PageNode | undefined {
  const list = tab.closest('[role="tablist"]');
  const tabs = [...(list?.querySelectorAll('[role="tab"]') ?? [])];
  const panels = [...(list?.parentNode?.querySelectorAll('[role="tabpanel"]') ?? [])];
  return tabs.length === panels.length ? panels[tabs.indexOf(tab)] : undefined;
}

/** Whether an element is a hidden answer, or text that a click opens below or beside its label, and no menu, cart or form. */
function isPanel(panel: PageNode, opener: PageNode, asks: boolean): boolean {
  if (asks && isHidden(panel)) return true;
  const isBeside = opener.nextElementSibling === panel || opener.parentNode?.nextElementSibling === panel;
  // Checked first: many links of a long page lead to long parts of it.
  if (!isBeside && panel.getAttribute('role') !== 'tabpanel') return false;
  return lengthOf(panel) > 0 && linkShare(panel) <= 0.5 && panel.querySelector(inputs) === null;
}
