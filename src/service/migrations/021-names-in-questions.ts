import { migration } from '../store/migration.ts';

/** Whether the question of a FAQ has names. The jobs of faq_search fill the index anew, by the rules of today. */
export const namesInQuestions = migration('0.3.0 names in questions', () => [
  'alter table faq_search add column has_names bigint not null default 0',
  "update faq_search set state = 'changed'",
  "delete from jobs where kind = 'faq_search' and failure is null",
  `insert into jobs (id, kind, account_id, payload, due_at, attempts, lease_until, lane, key)
    select 'job_names' || min(faq_seq), 'faq_search', account_id, '{}', 0, 0, 0, 'faq_search', '' from faq_search group by account_id`,
]);
