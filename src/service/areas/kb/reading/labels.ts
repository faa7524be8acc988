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

/** The elements of a line whose text is all bold. */
const boldLines = 'p > strong, p > b, div > strong, div > b';

/** Makes headings of questions that are none: those that their class names, and lines in bold. */
export function makeLabelsHeadings(document: PageDocument): void {
  for (const label of document.querySelectorAll(named)) {
    const answer = nextOf(label);
    if (answer && isLabel(label) && isAnswer(answer, label)) makeHeading(document, label, answer);
  }
  const questions = [...document.querySelectorAll(boldLines)].flatMap((bold) => {
    const line = bold.parentNode as PageNode;
    return isQuestion(line) && lengthOf(line) === lengthOf(bold) && isPlain(line) ? [line] : [];
  });
  // A single one can be meant as a question to the reader.
  if (questions.length > 1)
    for (const line of questions) if (line.nextElementSibling && lengthOf(line.nextElementSibling) > 0) makeHeading(document, line, null);
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

function makeHeading(document: PageDocument, label: PageNode, answer: PageNode | null): void {
  const heading = document.createElement('h6');
  heading.textContent = tidy(textOf(label));
  label.replaceWith(heading);
  if (answer && isHidden(answer)) show(answer);
}
