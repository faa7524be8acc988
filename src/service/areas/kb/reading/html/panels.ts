import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { hasTextBeside, inputs, isQuestion, lengthOf } from './elements.ts';
import { isHidden, panelName } from './hidden.ts';
import { choices, isNamedLikeAnswer } from './labels.ts';
import { halfLinks, linkShare } from './link-share.ts';
import { isNamedLikeClutter, nameWith } from './names.ts';
import { turnButton } from './phrases.ts';

// What an element opens: the panel of a tab, an answer, or what is hidden.

/** The attribute of what stands after an element that opens something. */
const opened = 'data-opened';

/** Marks what stands after elements that open something, before any of it is removed. */
export function markOpened(document: PageDocument): void {
  for (const opener of document.querySelectorAll('[aria-expanded]')) opener.nextElementSibling?.setAttribute(opened, '');
}

/** The parts of a page by their ids. */
export function partsById(document: PageDocument): Map<string | null, PageNode> {
  return new Map(Array.from(document.querySelectorAll('[id]'), (element) => [element.getAttribute('id'), element]));
}

/** The part of the page that an element opens. @param parts the elements of the page by their ids */
export function panelOf(opener: PageNode, parts: ReadonlyMap<string | null, PageNode>): PageNode | undefined {
  if (/^LABEL$/.test(opener.nodeName)) return besideCheckbox(opener, parts);
  const target = ['aria-controls', 'data-bs-target', 'data-target', 'href'].map((name) => opener.getAttribute(name)).find(Boolean);
  const named = target ? parts.get(target.replace(/^#/, '')) : undefined;
  if (named) return opener.hasAttribute('aria-controls') ? wrapperAfter(opener, named) : named;
  const beside = opener.nextElementSibling ?? opener.parentNode?.nextElementSibling;
  if (!beside) return undefined;
  if (panelName.test(beside.getAttribute('class') ?? '') && mayOpen(opener)) return beside;
  // What is named and not there is made by a script.
  return !target && !opener.hasAttribute('aria-haspopup') && opener.hasAttribute('aria-expanded') && opensBeside(opener, beside)
    ? beside
    : undefined;
}

/** What the label of a checkbox shows by style sheets alone. */
function besideCheckbox(label: PageNode, parts: ReadonlyMap<string | null, PageNode>): PageNode | undefined {
  const beside = label.nextElementSibling;
  const box = parts.get(label.getAttribute('for'));
  if (!beside || !box?.matches('input[type="checkbox" i]') || label.closest('form') || beside.querySelector(choices)) return undefined;
  const opens = isQuestion(label) || isHidden(beside) || isNamedPanel(label) || isNamedPanel(beside);
  return opens && !beside.matches(`label, ${choices}`) ? beside : undefined;
}

/** The element after an opener that contains nothing but a part, or else the part. */
function wrapperAfter(opener: PageNode, part: PageNode): PageNode {
  let node = part;
  while (!isAfter(node, opener) && node.parentNode && !hasTextBeside(node)) node = node.parentNode;
  return isAfter(node, opener) ? node : part;
}

/** How many elements may wrap an opener. */
const wrappers = 4;

/** Whether an element stands after an opener, its parent, or what has no other text than the opener. */
export function isAfter(element: PageNode, opener: PageNode): boolean {
  let node: PageNode | null = opener;
  for (let up = 0; node && up < wrappers; up++, node = node.parentNode)
    if (node.nextElementSibling === element) return up < 2 || lengthOf(node) === lengthOf(opener);
  return false;
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

/** Pairs tabs with their panels, where there are as many: those that roles tell, and those after a list of labels. */
export function panelsOfTabs(document: PageDocument, parts: ReadonlyMap<string | null, PageNode>): Map<PageNode, PageNode> {
  const pairs = new Map<PageNode, PageNode>();
  const pair = (tabs: readonly PageNode[], panels: readonly PageNode[]) => {
    if (tabs.length === panels.length) for (const [index, tab] of tabs.entries()) pairs.set(tab, panels[index] as PageNode);
  };
  for (const [parent, lists] of Map.groupBy(document.querySelectorAll('[role="tablist"]'), ({ parentNode }) => parentNode)) {
    const panels = [...(parent?.querySelectorAll('[role="tabpanel"]') ?? [])];
    for (const list of lists) pair([...list.querySelectorAll('[role="tab"]')], panels);
  }
  for (const [list, labels] of Map.groupBy(document.querySelectorAll('button, a[href^="#"], a[data-w-tab], label[for]'), listOf))
    if (list && labels.length > 1 && areLabels(labels, list)) pair(labels, panelsFor(list, labels, parts));
  return pairs;
}

/** The element whose items a label and others are. */
function listOf(label: PageNode): PageNode | null | undefined {
  return /^LI$/.test(label.parentNode?.nodeName ?? '') ? label.parentNode?.parentNode : label.parentNode;
}

/** The length of the longest name of a tab. */
const nameLength = 60;

/** Whether the elements of a list are all names of tabs. */
function areLabels(labels: readonly PageNode[], list: PageNode): boolean {
  if (labels.some((label) => turnButton.test(tidy(label.textContent ?? '')))) return false;
  if (labels.some((label) => lengthOf(label) === 0 || lengthOf(label) > nameLength || label.getAttribute('role') === 'tab')) return false;
  return labels.reduce((sum, label) => sum + textLength(label), 0) === textLength(list);
}

/** The number of characters without white space. */
function textLength(element: PageNode): number {
  return (element.textContent ?? '').replace(/\s+/gu, '').length;
}

/** What a list of labels shows: the panels in the element after it, the panels after it, or parts with their ids of which some are hidden. */
function panelsFor(list: PageNode, labels: readonly PageNode[], parts: ReadonlyMap<string | null, PageNode>): PageNode[] {
  const next = list.nextElementSibling ?? list.parentNode?.nextElementSibling;
  const inside = [...(next?.childNodes ?? [])].filter((node) => node.nodeType === 1);
  if (inside.length === labels.length && (inside.every(isNamedPanel) || areChoices(labels, list, parts))) return inside;
  const after: PageNode[] = [];
  for (let node = list.nextElementSibling; node && after.length < labels.length && isNamedPanel(node); node = node.nextElementSibling)
    after.push(node);
  if (after.length === labels.length) return after;
  const named = labels.flatMap((label) => parts.get(label.getAttribute('href')?.slice(1) ?? '') ?? []);
  return named.some(isHidden) && new Set(named.map(({ parentNode }) => parentNode)).size === 1 ? named : [];
}

/** Whether labels are tabs that style sheets alone turn: of radio buttons, in what is called so. */
function areChoices(labels: readonly PageNode[], list: PageNode, parts: ReadonlyMap<string | null, PageNode>): boolean {
  const isNamed = [list, list.parentNode].some((node) => tabsName.test(node?.getAttribute('class') ?? ''));
  return isNamed && labels.every((label) => parts.get(label.getAttribute('for'))?.matches('input[type="radio" i]'));
}

const tabsName = nameWith('tabs?|tabbed(?:-\\w+)?|code-group');

function isNamedPanel(element: PageNode): boolean {
  return panelName.test(element.getAttribute('class') ?? '');
}

/** Whether an element is a hidden answer, or text that a click opens below or beside its label, and no menu, cart or form. */
export function isPanel(panel: PageNode, opener: PageNode, asks: boolean): boolean {
  if (asks && isHidden(panel)) return true;
  // Checked first: many links of a long page lead to long parts of it.
  if (!isAfter(panel, opener) && panel.getAttribute('role') !== 'tabpanel') return false;
  return lengthOf(panel) > 0 && linkShare(panel) <= halfLinks && panel.querySelector(inputs) === null;
}
