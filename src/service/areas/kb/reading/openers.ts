import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, isQuestion, lengthOf, linkShare } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { textOf } from './html-sections.ts';
import { tidy } from './sections.ts';

/** What may open a part of the page. */
const openers = 'button, [role="button"], [role="tab"], [aria-controls], a[href^="#"]';

/** Makes headings of what opens parts of the page: questions with their answers, and the names of tabs and panels. Other buttons are not text. */
export function keepOpeners(document: PageDocument): void {
  const parts = new Map(Array.from(document.querySelectorAll('[id]'), (element) => [element.getAttribute('id'), element]));
  for (const opener of document.querySelectorAll(openers)) keepOpener(document, opener, panelOf(opener, parts));
}

function keepOpener(document: PageDocument, opener: PageNode, panel: PageNode | undefined): void {
  const isButton = /^BUTTON$/i.test(opener.nodeName);
  const heading = opener.closest(headings);
  const asks = isQuestion(opener);
  if (!(isButton && (heading !== null || asks)) && !(panel && isPanel(panel, opener, asks))) return;
  // The answer is hidden until it is opened.
  for (const name of ['hidden', 'aria-hidden', 'style', 'class']) panel?.removeAttribute(name);
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
  const next = opener.nextElementSibling;
  return named ?? (next && panelName.test(next.getAttribute('class') ?? '') ? next : undefined);
}

/** Whether an element is a hidden answer, or text that a click opens below or beside its label, and no menu, cart or form. */
function isPanel(panel: PageNode, opener: PageNode, asks: boolean): boolean {
  if (asks && isHidden(panel)) return true;
  const isBeside = opener.nextElementSibling === panel || opener.parentNode?.nextElementSibling === panel;
  // Checked first: many links of a long page lead to long parts of it.
  if (!isBeside && panel.getAttribute('role') !== 'tabpanel') return false;
  return lengthOf(panel) > 0 && linkShare(panel) <= 0.5 && panel.querySelector(inputs) === null;
}
