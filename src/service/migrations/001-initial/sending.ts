import type { Fragments } from '../../store/migration.ts';

/** Templates, broadcasts with their recipients, and short links. */
export function sending({ account, references, seq, times }: Fragments): string[] {
  return [
    `create table templates (
      ${seq}, id text not null unique, ${account}, name text not null, body text not null, language text not null,
      variables text not null, status text not null, sid text, type text not null, category text not null,
      rejection_reason text, campaign_id text, submitted_at bigint, approved_at bigint, submissions bigint not null, ${times})`,
    'create index templates_by_account on templates (account_id, seq)',
    'create index templates_by_name on templates (account_id, name, seq)',
    'create index templates_by_sid on templates (account_id, sid) where sid is not null',
    `create table provider_templates (
      ${seq}, id text not null unique, ${account}, name text not null, language text not null, category text not null,
      status text not null, rejection_reason text, components text not null, ${times}, unique (account_id, name, language))`,
    'create index provider_templates_by_account on provider_templates (account_id, seq)',
    // The contacts that are named come last, so that a list of broadcasts does not read them.
    `create table broadcasts (
      ${seq}, id text not null unique, ${account}, name text not null, channel text not null, agent_id text, body text,
      template_id text, contact_count bigint, list_ids text not null, scheduled_at bigint, status text not null,
      run bigint not null, total bigint not null, sent bigint not null, delivered bigint not null, read bigint not null,
      replied bigint not null, failed bigint not null, ${times}, contact_ids text not null)`,
    'create index broadcasts_by_account on broadcasts (account_id, seq)',
    `create table broadcast_recipients (
      broadcast_id text not null ${references('broadcasts (id)')}, contact_seq bigint not null, contact_id text not null,
      state text not null, replied bigint not null, primary key (broadcast_id, contact_seq))`,
    "create index waiting_recipients on broadcast_recipients (broadcast_id, contact_seq) where state = 'waiting'",
    `create table audiences (
      broadcast_id text primary key references broadcasts (id) on delete cascade, ${account}, contact_ids text not null,
      list_ids text not null, contacts_read bigint not null, last_seq bigint not null, final_seq bigint not null,
      total bigint not null, is_fixed bigint not null)`,
    'create index audiences_by_account on audiences (account_id)',
    `create table short_links (
      ${seq}, id text not null unique, ${account}, slug text not null unique, url text not null, clicks bigint not null,
      ${times})`,
    'create index short_links_by_account on short_links (account_id, seq)',
  ];
}
