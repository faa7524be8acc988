import { migration } from '../store/migration.ts';

/** Pipelines and their deals, notes, and the changes of the status of deals and contacts. */
export const deals = migration('0.3.0 deals and notes', ({ account, seq, times, references }) => [
  `create table pipelines (${seq}, id text not null unique, ${account}, name text not null, folded_name text not null, ${times})`,
  'create unique index pipelines_by_name on pipelines (account_id, folded_name)',
  'create index pipelines_by_account on pipelines (account_id, seq)',
  `create table pipeline_stages (
    ${seq}, id text not null unique, ${account}, pipeline_id text not null references pipelines (id) on delete cascade,
    position bigint not null, name text not null, kind text not null, deal_count bigint not null, ${times})`,
  'create index pipeline_stages_by_pipeline on pipeline_stages (pipeline_id, position)',
  'create index pipeline_stages_by_account on pipeline_stages (account_id, seq)',
  `create table deals (
    ${seq}, id text not null unique, ${account}, title text not null, search_text text not null, pipeline_id text not null,
    stage_id text not null, contact_id text references contacts (id) on delete set null, value bigint, currency text not null,
    assignee text, expected_close_at bigint, status text not null, stage_changed_at bigint not null, closed_at bigint, ${times})`,
  'create index deals_by_account on deals (account_id, seq)',
  'create index deals_by_status on deals (account_id, status, seq)',
  'create index deals_by_pipeline on deals (pipeline_id, seq)',
  'create index deals_by_stage on deals (stage_id, seq)',
  'create index deals_by_contact on deals (contact_id, seq)',
  `create table notes (
    ${seq}, id text not null unique, ${account}, entity_type text not null, entity_id text not null, text text not null, author text,
    ${times})`,
  'create index notes_by_account on notes (account_id, seq)',
  'create index notes_by_entity on notes (entity_id, seq)',
  `create table status_changes (
    ${seq}, account_id text not null ${references('accounts (id)')}, entity_id text not null, from_status text not null, to_status text not null,
    at bigint not null)`,
  'create index status_changes_by_account on status_changes (account_id, seq)',
  'create index status_changes_by_entity on status_changes (entity_id, seq)',
]);
