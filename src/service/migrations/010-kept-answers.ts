import { migration } from '../store/migration.ts';

/** The answers to requests with an idempotency key. */
export const keptAnswers = migration('0.3.0 kept answers', ({ seq, references }) => [
  `create table kept_answers (
    ${seq}, account_id text not null ${references('accounts (id)')}, key text not null, digest text not null, kept_at bigint not null,
    status bigint, body text, owner text, owned_until bigint not null)`,
  'create unique index kept_answers_by_key on kept_answers (account_id, key)',
]);
