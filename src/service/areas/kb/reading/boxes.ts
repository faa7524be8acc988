import type { PageDocument, PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { tidy } from './sections.ts';

// Boxes with a request to the visitor: to say whether the page was of use, or to subscribe to a newsletter.

/** The question at the end of a page whether it was of use. */
const feedbackQuestions = [
  /^(?:was|is|did) (?:this|you)\b.{0,40}\b(?:helpful|useful|answer your questions?|help you|looking for)\s*\?$/i,
  /^war diese[rs]? .{1,30} hilfreich\s*\?$/i,
  /^cet(?:te)? .{1,20} (?:vous a-t-(?:il|elle) été|était-(?:il|elle)) utile\s*\?$/i,
  /^¿?(?:te |le )?(?:fue|ha sido|resultó|ha resultado) útil.{0,30}\?$/i,
  /^(?:.{0,25} è stat[oa] utile|est[ea] .{1,20} foi útil|was dit .{1,20} nuttig)\s*\?$/i,
];

/** The most text that stands beside such a question, or beside the form to subscribe to a newsletter. */
const boxLength = 200;

/** Removes the boxes of a page. */
export function removeBoxes(document: PageDocument): void {
  for (const element of [...document.body.querySelectorAll(`${headings}, p, div, span, legend, label`)])
    if (asksForFeedback(element)) boxOf(element).remove();
  for (const form of [...document.body.querySelectorAll('form')]) newsletterOf(form)?.remove();
}

/** Whether an element asks if the page was of use. */
function asksForFeedback(element: PageNode): boolean {
  const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent ?? '');
  const text = tidy(own.join(''));
  return feedbackQuestions.some((question) => question.test(text));
}

/** The box with a form to subscribe to a newsletter; undefined for other forms. */
function newsletterOf(form: PageNode): PageNode | undefined {
  if (!form.querySelector('input[type="email" i], input[name*="email" i]')) return undefined;
  const box = boxOf(form);
  const heading = box.querySelector(headings);
  return heading && newsletter.test(tidy(heading.textContent ?? '')) ? box : undefined;
}

const newsletter = /newsletter|subscri|mailing list|inbox|abonn|suscr[ií]b|iscriviti|assine|nieuwsbrief/i;

/** The outermost element with an element that has little text beside it. */
function boxOf(element: PageNode): PageNode {
  let box = element;
  for (let node = element.parentNode; node && !/^(?:BODY|MAIN|ARTICLE)$/i.test(node.nodeName); node = node.parentNode) {
    if (lengthOf(node) > lengthOf(element) + boxLength) break;
    box = node;
  }
  return box;
}
