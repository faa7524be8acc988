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

/** A subscription of the account itself, and one of its agency, to the receiver of a record of health. */
const ownWebhook = 'select 1 from webhooks where webhooks.account_id = old.account_id and webhooks.receiver = old.receiver';
const inheritedWebhook = `select 1 from webhooks join accounts on webhooks.account_id = accounts.parent_id
  where accounts.id = old.account_id and webhooks.receiver = old.receiver and apply_to_sub_accounts = 1`;

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
    // Until now, one record counted both. An account with a subscription of its own and one that it inherits keeps it for both, so
    // that no pause is lifted.
    ...(
      [
        [0, `exists (${ownWebhook}) or not exists (${inheritedWebhook})`],
        [1, `exists (${inheritedWebhook})`],
      ] as const
    ).map(
      ([inherited, condition]) => `insert into health
      select account_id, receiver, ${inherited}, consecutive_failures, total_failures, total_successes, disabled_at, disabled_reason, last_failure,
        ${engine === 'sqlite' ? "json_extract(last_failure, '$.at')" : "(last_failure::json->>'at')::bigint"},
        last_success_at, created_at, updated_at
      from webhook_health as old where ${condition}`,
    ),
    'drop table webhook_health',
    'alter table health rename to webhook_health',
    'create index webhook_health_inherited on webhook_health (receiver) where inherited = 1',
    `create table faq_checks (
      account_id text not null primary key references accounts (id) on delete cascade, status text not null, merged text not null)`,
    "alter table kb_refreshes add column merged text not null default '[]'",
    'alter table kb_sources drop column faq_count',
    `create table campaign_tags (
      campaign_id text not null references campaigns (id) on delete cascade,
      tag_id text not null references tags (id) on delete cascade, webhook text not null, primary key (campaign_id, tag_id))`,
    'create index campaign_tags_by_tag on campaign_tags (tag_id)',
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
