import { hasFact, hasPriceOrNumber, price } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { hasAtMost, headings, lengthOf, textBefore } from './elements.ts';
import {
  commentInvitation,
  commentReply,
  commentsClosed,
  commentsHeading,
  feedbackQuestions,
  newsletterHeading,
  subscriptionHeading,
} from './phrases.ts';
import { hasSentence } from './saying.ts';

// Boxes with a request to the visitor: to say whether the page was of use, to subscribe to a newsletter, or to write a comment.

/** The most text that stands beside such a question, or beside such a form. */
const boxLength = 200;

/** Removes the boxes of a page. */
export function removeBoxes(document: PageDocument): void {
  for (const element of [...document.body.querySelectorAll(`${headings}, p, div, span, legend, label`)])
    if (asksForFeedback(element)) feedbackBox(element).remove();
  for (const form of [...document.body.querySelectorAll('form')]) for (const part of newsletterParts(form)) part.remove();
  for (const heading of [...document.body.querySelectorAll(headings)])
    if (commentsHeading.test(tidy(heading.textContent ?? ''))) for (const part of commentsBelow(heading)) part.remove();
}

/** Whether an element asks if the page was of use. */
function asksForFeedback(element: PageNode): boolean {
  const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? '');
  const text = tidy(own.join(''));
  return feedbackQuestions.some((question) => question.test(text));
}

/** The outermost element that begins with a question, and has little more. */
function feedbackBox(question: PageNode): PageNode {
  let box = question;
  for (let node = question.parentNode; node && !isOuter(node); node = node.parentNode) {
    if (textBefore(box) || !hasAtMost(node, lengthOf(question) + boxLength)) break;
    if (hasOtherHeading(node, question) || (node.textContent ?? '').includes('@') || hasPriceOrNumber(node.textContent ?? '')) break;
    box = node;
  }
  return box;
}

function hasOtherHeading(box: PageNode, question: PageNode): boolean {
  return [...box.querySelectorAll(`${headings}, summary, dt`)].some((each) => each !== question && each !== question.parentNode);
}

/** A form to subscribe to a newsletter, with its heading and the box around them. Empty for other forms. */
function newsletterParts(form: PageNode): PageNode[] {
  if (!form.querySelector('input[type="email" i], input[name*="email" i]')) return [];
  let box: PageNode | undefined;
  for (let node: PageNode | null = form; node && !isOuter(node); node = node.parentNode) {
    if (!hasAtMost(node, lengthOf(form) + boxLength)) break;
    const names = [...node.querySelectorAll(headings)];
    if (!names.every((name) => isNewsletter(name, node))) break;
    if (names.length === 0) continue;
    if (names.some(isNameOfPage)) break;
    if (tellsFact(node) || saysAbove(names[0]!, node)) return box ? [box] : partsFrom(names[0]!, node);
    box = node;
  }
  return box ? [box] : [];
}

/** Whether a heading is that of a page about its newsletter. */
function isNameOfPage(heading: PageNode): boolean {
  const body = heading.closest('body');
  const title = tidy(body?.parentNode?.querySelector('title')?.textContent ?? '');
  return (
    /^H1$/i.test(heading.nodeName) &&
    [...(body?.querySelectorAll('h1') ?? [])].length === 1 &&
    title.startsWith(tidy(heading.textContent ?? ''))
  );
}

/** What a form for an order has, and none for a newsletter. */
const orders = 'select, textarea, input[type="number" i], input[type="date" i]';

function tellsFact(node: PageNode): boolean {
  return hasFact(tidy(node.textContent ?? ''));
}

/** Whether a sentence stands above a heading in a box. */
function saysAbove(heading: PageNode, box: PageNode): boolean {
  for (let node = heading; node !== box && node.parentNode; node = node.parentNode)
    for (let above = textBefore(node); above; above = textBefore(above)) if (hasSentence(above)) return true;
  return false;
}

/** The children of a box from the one with its heading on, without those that tell facts. */
function partsFrom(heading: PageNode, box: PageNode): PageNode[] {
  let start = heading;
  while (start.parentNode && start.parentNode !== box) start = start.parentNode;
  const children = [...box.childNodes];
  return children.slice(children.indexOf(start)).filter((child) => !tellsFact(child));
}

/** The comments below a heading, with it: the box that it begins, or what stands after it up to the next heading. Empty for text about comments. */
function commentsBelow(heading: PageNode): PageNode[] {
  let box = heading;
  while (!textBefore(box) && box.parentNode && !isOuter(box.parentNode) && !hasPeer(box.parentNode, heading)) box = box.parentNode;
  if (isFirstText(box)) return [];
  const parts = [box];
  if (lengthOf(box) === lengthOf(heading))
    for (
      let next = box.nextElementSibling;
      next && !next.matches(heading.nodeName) && !hasPeer(next, heading);
      next = next.nextElementSibling
    )
      parts.push(next);
  return takesComments(parts) ? parts : [];
}

/** Whether no text of the page precedes an element. */
function isFirstText(element: PageNode): boolean {
  for (let node: PageNode | null = element; node && !isOuter(node); node = node.parentNode) if (textBefore(node)) return false;
  return true;
}

/** Whether an element has another heading of the same level. */
function hasPeer(element: PageNode, heading: PageNode): boolean {
  return [...element.querySelectorAll(heading.nodeName)].some((each) => each !== heading);
}

/** Whether readers can answer comments in an element: one link to write one can also be that of a text about comments. */
function takesComments(parts: readonly PageNode[]): boolean {
  if (parts.some((part) => part.querySelector('textarea') !== null)) return true;
  const lines = parts.flatMap((part) => [part, ...part.querySelectorAll(controls)]).filter((each) => each.matches(controls));
  const texts = [...new Set(lines.map((line) => tidy(line.getAttribute('value') ?? line.textContent ?? '')))];
  return (
    texts.some((text) => commentReply.test(text) || commentsClosed.test(text)) ||
    texts.filter((text) => commentInvitation.test(text)).length > 1
  );
}

const controls = 'a, button, input[type="submit" i], p';

function isNewsletter(heading: PageNode, box: PageNode): boolean {
  const text = tidy(heading.textContent ?? '');
  if (newsletterHeading.test(text)) return true;
  return subscriptionHeading.test(text) && !price.test(box.textContent ?? '') && box.querySelector(orders) === null;
}

function isOuter(element: PageNode): boolean {
  return /^(?:BODY|MAIN|ARTICLE)$/i.test(element.nodeName);
}
