import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { migration } from '../store/migration.ts';

const foldedAtOnce = 1_000;

/** The key of a question as of this version: with full case folding, so that `STRASSE` is `Straße`. */
function questionKey(question: string): string {
  const text = question.trim().replace(/\s+/gu, ' ').normalize('NFC');
  const parts = text.toLowerCase().split('ı');
  const folded = parts.map((part) => part.toUpperCase().toLowerCase()).join('ı');
  return hash('sha256', folded.normalize('NFC'), 'base64url');
}

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
  async (db) => {
    for (let after = 0; ;) {
      const { rows } = await sql<{ seq: number; question: string; question_key: string }>`
        select seq, question, question_key from faqs where seq > ${after} order by seq limit ${foldedAtOnce}`.execute(db);
      for (const { seq, question, question_key: before } of rows) {
        const key = questionKey(question);
        if (key !== before) await sql`update faqs set question_key = ${key} where seq = ${seq}`.execute(db);
      }
      const last = rows.at(-1);
      if (!last) return;
      after = last.seq;
    }
  },
);
