import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, isQuestion, lengthOf } from './elements.ts';
import { isHidden } from './hidden.ts';
import { halfLinks, linkShare } from './link-share.ts';
import { isNamedLikeClutter, namesOf, nameWith } from './names.ts';
import { textOf } from './text-of.ts';
import { answerOf } from './write-elements.ts';

/** The class of a question, or of an element that opens an answer. */
const labelName =
  /(?:^|[\s_-])(?:question(?:$|[\s_-])|(?:toggle|trigger)(?:$|\s)|(?:accordion|collapse|dropdown|faq|tab|toggle)[_-]+(?:button|header|heading|label|title|toggle)(?:$|[\s_-]))/i;
/** The class of an answer. */
const answerName = nameWith('answer|content|panel|pane|body|text|collapse|desc|description|details');

/** The elements that may have such a class. */
const named = ['question', 'toggle', 'trigger', 'accordion', 'dropdown', 'faq', 'collapse', 'tab']
  .map((name) => `[class*="${name}" i]`)
  .join();

/** What visitors answer themselves. */
const pollName = nameWith('polls?|quiz(?:zes)?|surveys?|votes?|voting');

/** What visitors choose from, to answer a question themselves. */
export const choices = 'input[type="radio" i], input[type="checkbox" i]';

/** The level of the headings that labels become. */
export const levelOfLabels = 6;

/** The length of the longest label. */
const labelLength = 250;

/** The bold text of lines. */
const boldText = 'p > strong, p > b, div > strong, div > b, p > span > strong, p > span > b';

/** Makes headings of labels that open an answer or that their class names, and of bold lines. */
export function makeLabelsHeadings(document: PageDocument): void {
  for (const label of document.querySelectorAll(named)) {
    const answer = nextOf(label);
    if (!answer || !isLabel(label) || !isAnswer(answer, label)) continue;
    label.replaceWith(headingFrom(document, label));
    if (isHidden(answer)) show(answer);
    markAnswer(answer);
  }
  const lines = Array.from(document.querySelectorAll(boldText), withStyle).filter(isLine);
  for (const beside of Map.groupBy(lines, boxOf).values())
    if (areTitles(beside)) for (const line of beside) line.replaceWith(headingFrom(document, line));
}

/** A bold text, with the element that only gives it a color or a font. */
function withStyle(bold: PageNode): PageNode {
  const parent = bold.parentNode;
  return parent && /^SPAN$/.test(parent.nodeName) && lengthOf(parent) === lengthOf(bold) ? parent : bold;
}

/** Shows what is hidden until it is opened. */
export function show(panel: PageNode): void {
  for (const name of ['hidden', 'aria-hidden', 'style', 'class']) panel.removeAttribute(name);
}

export function isNamedLikeAnswer(element: PageNode): boolean {
  return answerName.test(element.getAttribute('class') ?? '');
}

function isLabel(element: PageNode): boolean {
  if (!labelName.test(element.getAttribute('class') ?? '') || lengthOf(element) === 0 || !isPlain(element)) return false;
  // A box with a question and its answer is no label.
  if (!isQuestion(element) && /[?？؟]\s/u.test(tidy(textOf(element)))) return false;
  // A word of a sentence can have a note.
  return !element.parentNode?.closest('p') && !isInPoll(element);
}

/** Whether an element is a short text of its own, and no heading yet. */
function isPlain(element: PageNode): boolean {
  if (lengthOf(element) > labelLength || element.querySelector(`${headings}, a[href], summary, ${inputs}`)) return false;
  return !element.closest(`${headings}, summary, dt, table, nav, a[href]`);
}

function isInPoll(element: PageNode): boolean {
  for (let [node, up]: [PageNode | null, number] = [element, 0]; node?.nodeType === 1 && up < 4; node = node.parentNode, up++)
    if (pollName.test(namesOf(node))) return true;
  return false;
}

/** What stands after an element, or after the one that contains nothing else. */
function nextOf(label: PageNode): PageNode | null {
  if (label.nextElementSibling) return label.nextElementSibling;
  const parent = label.parentNode;
  return parent && lengthOf(parent) === lengthOf(label) ? parent.nextElementSibling : null;
}

function isAnswer(element: PageNode, label: PageNode): boolean {
  if (lengthOf(element) === 0 || linkShare(element) > halfLinks || element.querySelector(`form, ${inputs}, ${choices}`)) return false;
  if (labelName.test(element.getAttribute('class') ?? '') && !isNamedLikeAnswer(element)) return false;
  return isQuestion(label) || (!isNamedLikeClutter(element) && (isNamedLikeAnswer(element) || isHidden(element)));
}

/** Whether a bold text is a line of its own, with text after it: below it in the same paragraph, or in the next element. */
function isLine(bold: PageNode): boolean {
  if (bold.previousElementSibling || isText(bold.previousSibling) || !isPlain(bold)) return false;
  const next = isText(bold.nextSibling) ? bold.nextSibling : bold.nextElementSibling;
  if (next) return /^BR$/i.test(next.nodeName);
  const below = bold.parentNode?.nextElementSibling;
  return below !== null && below !== undefined && lengthOf(below) > 0 && !below.matches(headings) && !below.querySelector(headings);
}

function isText(node: PageNode | null): boolean {
  return node?.nodeType === 3 && lengthOf(node) > 0;
}

/** The element whose lines stand below each other. */
function boxOf(bold: PageNode): PageNode | null | undefined {
  return bold.parentNode?.parentNode;
}

/** Whether bold lines are headings: two or more are questions, and none directly follows another. */
function areTitles(lines: readonly PageNode[]): boolean {
  const paragraphs = new Set(lines.map((line) => line.parentNode));
  const isFollowed = (line: PageNode) => !line.nextElementSibling && paragraphs.has(line.parentNode?.nextElementSibling ?? null);
  return lines.filter(isQuestion).length > 1 && !lines.some(isFollowed);
}

/** Marks an answer that has an element of its own, and does not go on after its first paragraph. @param level that of its heading */
export function markAnswer(answer: PageNode, level = levelOfLabels): void {
  if (!/^(?:P|UL|OL|TABLE|PRE|BLOCKQUOTE)$/i.test(answer.nodeName)) answer.setAttribute(answerOf, String(level));
}

/** A heading that says what an element says. */
export function headingFrom(document: PageDocument, element: PageNode): PageNode {
  const heading = document.createElement(`h${levelOfLabels}`);
  heading.textContent = withoutSign(element);
  return heading;
}

/** The text of an element, without an element at its end that is a sign to open or close, such as `+`. */
function withoutSign(element: PageNode): string {
  const text = tidy(textOf(element));
  const last = [...element.querySelectorAll('span, i')].at(-1);
  const sign = tidy(last?.textContent ?? '');
  return /^[+−–×▼▾⌄›»✕＋]$/u.test(sign) && text.endsWith(sign) ? text.slice(0, -1).trim() : text;
}
