import { migration } from '../store/migration.ts';

/** Templates, and the templates in accounts' own provider accounts. */
export const templates = migration('templates', ({ seq, account, times }) => [
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
]);
