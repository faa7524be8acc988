import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, isQuestion, lengthOf, linkShare } from './elements.ts';
import { isHidden } from './hidden.ts';
import { textOf } from './html-sections.ts';
import { tidy } from './sections.ts';

/** The class of a question, or of what a click opens, and of its answer. */
const labelName =
  /(?:^|[\s_-])(?:question(?:$|[\s_-])|(?:toggle|trigger)(?:$|\s)|(?:accordion|collapse|dropdown|faq|tab|toggle)[_-]+(?:button|header|heading|label|title|toggle)(?:$|[\s_-]))/i;
const answerName = /(?:^|[\s_-])(?:answer|content|panel|pane|body|text|collapse|desc|description|details)(?:$|[\s_-])/i;

/** The elements that may have such a class. */
const named = ['question', 'toggle', 'trigger', 'accordion', 'faq', 'collapse', 'tab'].map((name) => `[class*="${name}" i]`).join();

/** The length of the longest label. */
const labelLength = 250;

/** The bold text of lines. */
const boldText = 'p > strong, p > b, div > strong, div > b';

/** Makes headings of questions that are none: those that their class names, and bold lines. */
export function makeLabelsHeadings(document: PageDocument): void {
  for (const label of document.querySelectorAll(named)) {
    const answer = nextOf(label);
    if (!answer || !isLabel(label) || !isAnswer(answer, label)) continue;
    makeHeading(document, label);
    if (isHidden(answer)) show(answer);
  }
  const questions = [...document.querySelectorAll(boldText)].filter((bold) => isQuestion(bold) && isPlain(bold) && isLine(bold));
  // A single one can be meant as a question to the reader.
  if (questions.length > 1) for (const question of questions) makeHeading(document, question);
}

/** Shows what is hidden until it is opened. */
export function show(panel: PageNode): void {
  for (const name of ['hidden', 'aria-hidden', 'style', 'class']) panel.removeAttribute(name);
}

function isLabel(element: PageNode): boolean {
  return labelName.test(element.getAttribute('class') ?? '') && lengthOf(element) > 0 && isPlain(element);
}

/** Whether an element is a short text of its own, and no heading yet. */
function isPlain(element: PageNode): boolean {
  if (lengthOf(element) > labelLength || element.querySelector(`${headings}, a[href], summary, ${inputs}`)) return false;
  return !element.closest(`${headings}, summary, dt, table, nav, a[href]`);
}

/** What stands after an element, or after the one that contains nothing else. */
function nextOf(label: PageNode): PageNode | null {
  if (label.nextElementSibling) return label.nextElementSibling;
  const parent = label.parentNode;
  return parent && lengthOf(parent) === lengthOf(label) ? parent.nextElementSibling : null;
}

function isAnswer(element: PageNode, label: PageNode): boolean {
  const name = element.getAttribute('class') ?? '';
  if (
    (labelName.test(name) && !answerName.test(name)) ||
    lengthOf(element) === 0 ||
    linkShare(element) > 0.5 ||
    element.querySelector(`form, ${inputs}`)
  )
    return false;
  return isQuestion(label) || answerName.test(name) || isHidden(element);
}

/** Whether an element is a line of its own, with text after it: below it in the same paragraph, or in the next element. */
function isLine(element: PageNode): boolean {
  const nodes = [...(element.parentNode?.childNodes ?? [])].filter(
    (node) => node.nodeType === 1 || (node.nodeType === 3 && lengthOf(node) > 0),
  );
  const [first, second, third] = nodes;
  if (first !== element) return false;
  if (second) return /^BR$/i.test(second.nodeName) && third !== undefined;
  const next = element.parentNode?.nextElementSibling;
  return next !== null && next !== undefined && lengthOf(next) > 0;
}

function makeHeading(document: PageDocument, label: PageNode): void {
  const heading = document.createElement('h6');
  heading.textContent = tidy(textOf(label));
  label.replaceWith(heading);
}
