import type { PageDocument, PageNode } from './dom.ts';
import { headings, inputs, lengthOf, replaceBy } from './elements.ts';
import { isHidden } from './hidden.ts';
import { plainLength } from './link-share.ts';

/** Makes plain elements of forms that are used for the layout of the page. All others are removed. */
export function keepLayoutForms(document: PageDocument): void {
  const size = lengthOf(document.body);
  for (const form of document.querySelectorAll('form')) if (!isHidden(form) && isLayout(form, size)) replaceBy(document, form, 'div');
}

/** The length from which a form with fields to fill in has text of its own. */
const textOfForm = 2_000;

/** Whether a form is used for the layout of a page: it has no fields to fill in, or it has most of the text, with headings or much of it. */
function isLayout(form: PageNode, sizeOfPage: number): boolean {
  if (form.parentNode?.closest('form')) return false;
  if (!form.querySelector(inputs)) return true;
  if (lengthOf(form) <= sizeOfPage / 2) return false;
  return form.querySelector(`main, article, ${headings}`) !== null || plainLength(form) >= textOfForm;
}
