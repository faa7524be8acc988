import { migration } from '../store/migration.ts';

/** Words of texts without spaces, and of more languages. The jobs of faq_search fill the index anew, by the rules of today. */
export const wordsOfScripts = migration('0.3.0 words of scripts', () => [
  "update faq_search set state = 'changed'",
  "delete from jobs where kind = 'faq_search' and failure is null",
  `insert into jobs (id, kind, account_id, payload, due_at, attempts, lease_until, lane, key)
    select 'job_words' || min(faq_seq), 'faq_search', account_id, '{}', 0, 0, 0, 'faq_search', '' from faq_search group by account_id`,
]);
