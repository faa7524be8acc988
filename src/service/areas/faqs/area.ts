import { faqDedupe } from './dedupe.ts';
import { faqHandlers } from './handlers.ts';
import { faqPreparation } from './preparation.ts';
import type { Area } from '../../area.ts';
import { indexTables } from './index-rows.ts';

/** FAQs, and the search for them. The rows of campaigns are deleted with their FAQs. */
export const faqArea = {
  handlers: faqHandlers,
  jobs: { faq_dedupe: faqDedupe, faq_search: faqPreparation },
  rows: [
    {
      table: 'campaigns',
      dependents: [
        { table: 'faq_links', column: 'campaign_id' },
        { table: 'campaign_tags', column: 'campaign_id' },
        ...indexTables.map((rows) => ({ ...rows, column: 'scope' })),
      ],
    },
    { table: 'faq_checks' },
    // The index of the FAQs of the account's sources.
    ...indexTables.map((rows) => ({ ...rows, column: 'scope' })),
    { table: 'faqs' },
    { table: 'faq_search' },
  ],
} satisfies Area;
