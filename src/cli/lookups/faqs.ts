import { getFaq, listFaqs } from '../../contract/areas/faqs/endpoints.ts';
import { comparedQuestion } from '../../contract/areas/faqs/question.ts';
import { lookup } from '../verb/lookup.ts';

/** FAQs by question, compared in the same way as an import does. */
export const faqLookup = lookup(listFaqs, 'faqs', 'question', { what: 'FAQ', get: getFaq, folded: comparedQuestion });
