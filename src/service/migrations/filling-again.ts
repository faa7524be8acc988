/** Has the jobs of faq_search fill the index of FAQs again, by the rules of today. @param name tells the jobs apart from those of other migrations */
export function fillIndexAgain(name: string): readonly string[] {
  return [
    "update faq_search set state = 'changed'",
    "delete from jobs where kind = 'faq_search' and failure is null",
    `insert into jobs (id, kind, account_id, payload, due_at, attempts, lease_until, lane, key)
    select 'job_${name}' || min(faq_seq), 'faq_search', account_id, '{}', 0, 0, 0, 'faq_search', '' from faq_search group by account_id`,
  ];
}
