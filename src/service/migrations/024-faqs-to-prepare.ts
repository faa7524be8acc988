import { migration } from '../store/migration.ts';

/** SQLite read all FAQs of an account to find those to prepare. It takes this index, whose entries end with the row id, which is `faq_seq`. */
export const faqsToPrepare = migration('0.3.0 FAQs to prepare', ({ engine }) =>
  engine === 'sqlite'
    ? ['drop index faqs_to_prepare', "create index faqs_to_prepare on faq_search (account_id) where state <> 'ready'"]
    : [],
);
