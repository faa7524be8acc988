import { questionKey } from '../areas/faqs/rules.ts';
import type { Db } from '../store/database.ts';
import { isNumberAmong } from '../store/is-among.ts';
import { migration } from '../store/migration.ts';

/**
 * Health of inherited deliveries apart from an account's own, what duplicate checks merged, tags of campaigns, and keys of questions by
 * full case folding.
 */
export const healthMergesCampaignTags = migration(
  '0.3.0 health, merges, campaign tags',
  ({ account, engine, times }) => [
    `create table health (
      ${account}, receiver text not null, inherited bigint not null, consecutive_failures bigint not null, total_failures bigint not null,
      total_successes bigint not null, disabled_at bigint, disabled_reason text, last_failure text, last_failure_at bigint,
      last_success_at bigint, ${times}, primary key (account_id, receiver, inherited))`,
    `insert into health
      select account_id, receiver,
        case when exists (select 1 from webhooks where webhooks.account_id = old.account_id and webhooks.receiver = old.receiver)
          then 0 else 1 end,
        consecutive_failures, total_failures, total_successes, disabled_at, disabled_reason, last_failure,
        ${engine === 'sqlite' ? "json_extract(last_failure, '$.at')" : "(last_failure::json->>'at')::bigint"},
        last_success_at, created_at, updated_at
      from webhook_health as old`,
    'drop table webhook_health',
    'alter table health rename to webhook_health',
    'create index webhook_health_inherited on webhook_health (receiver) where inherited = 1',
    `create table faq_checks (
      account_id text not null primary key references accounts (id) on delete cascade, status text not null, merged text not null)`,
    "alter table kb_refreshes add column merged text not null default '[]'",
    'alter table kb_sources drop column faq_count',
    "alter table campaigns add column tags text not null default '[]'",
    'alter table accounts add column conversation_window bigint not null default 0',
  ],
  foldQuestions,
);

const foldedAtOnce = 1_000;

/** Sets the keys of the questions that are folded in another way than before. */
async function foldQuestions(db: Db): Promise<void> {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom('faqs')
      .select(['seq', 'question', 'question_key'])
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(foldedAtOnce)
      .execute();
    const changed = Map.groupBy(rows, ({ question, question_key: key }) => (questionKey(question) === key ? '' : questionKey(question)));
    for (const [key, some] of changed)
      if (key !== '')
        await db
          .updateTable('faqs')
          .set({ question_key: key })
          .where(isNumberAmong(db, 'seq', JSON.stringify(some.map(({ seq }) => seq))))
          .execute();
    const last = rows.at(-1);
    if (!last) return;
    after = last.seq;
  }
}
