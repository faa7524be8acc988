import { migration } from '../store/migration.ts';

/** Knowledge groups, what agents could not answer, and summaries of conversations beside those of days. */
export const knowledgeGroupsGapsSummaries = migration('0.3.0 knowledge groups, gaps, summaries', ({ account, seq, times }) => [
  `create table kb_groups (
    ${seq}, id text not null unique, ${account}, name text not null, folded_name text not null, description text, ${times})`,
  'create index kb_groups_by_account on kb_groups (account_id, seq)',
  'create unique index kb_groups_by_name on kb_groups (account_id, folded_name)',
  `create table faq_groups (
    group_id text not null references kb_groups (id) on delete cascade,
    faq_seq bigint not null references faqs (seq) on delete cascade, primary key (group_id, faq_seq))`,
  'create index faq_groups_by_faq on faq_groups (faq_seq)',
  `create table agent_groups (
    agent_id text not null references agents (id) on delete cascade,
    group_id text not null references kb_groups (id) on delete cascade, primary key (agent_id, group_id))`,
  'create index agent_groups_by_group on agent_groups (group_id)',
  `create table campaign_groups (
    campaign_id text not null references campaigns (id) on delete cascade,
    group_id text not null references kb_groups (id) on delete cascade, primary key (campaign_id, group_id))`,
  'create index campaign_groups_by_group on campaign_groups (group_id)',
  `create table knowledge_gaps (
    ${seq}, id text not null unique, ${account}, question text not null, count bigint not null, status text not null,
    faq_id text references faqs (id) on delete set null, task_id text references tasks (id) on delete set null, task_day bigint,
    first_at bigint not null, last_at bigint not null, ${times})`,
  'create index knowledge_gaps_by_account on knowledge_gaps (account_id, seq)',
  'create index knowledge_gaps_by_count on knowledge_gaps (account_id, count, seq)',
  'create index knowledge_gaps_by_status on knowledge_gaps (account_id, status, count, seq)',
  'create index knowledge_gaps_by_faq on knowledge_gaps (faq_id) where faq_id is not null',
  'create index knowledge_gaps_by_task on knowledge_gaps (task_id) where task_id is not null',
  'create index knowledge_gaps_by_task_day on knowledge_gaps (account_id, task_day) where task_day is not null',
  `create table gap_wordings (
    ${account}, key text not null, gap_id text not null references knowledge_gaps (id) on delete cascade, text text not null,
    count bigint not null, first_at bigint not null, primary key (account_id, key))`,
  'create index gap_wordings_by_count on gap_wordings (gap_id, count desc, first_at, key)',
  `create table gap_askings (
    contact_id text not null references contacts (id) on delete cascade,
    gap_id text not null references knowledge_gaps (id) on delete cascade, key text not null, count bigint not null,
    primary key (contact_id, gap_id, key))`,
  'create index gap_askings_by_gap on gap_askings (gap_id)',
  `create table gap_contacts (
    gap_id text not null references knowledge_gaps (id) on delete cascade,
    contact_id text not null references contacts (id) on delete cascade, last_at bigint not null, primary key (gap_id, contact_id))`,
  'create index gap_contacts_by_time on gap_contacts (gap_id, last_at desc, contact_id)',
  'create index gap_contacts_by_contact on gap_contacts (contact_id)',
  `create table gap_agents (
    gap_id text not null references knowledge_gaps (id) on delete cascade,
    agent_id text not null references agents (id) on delete cascade, primary key (gap_id, agent_id))`,
  'create index gap_agents_by_agent on gap_agents (agent_id)',
  `create table summaries (
    ${seq}, id text not null unique, ${account}, kind text not null, day bigint not null,
    chat_session_id text unique references chat_sessions (id) on delete cascade,
    contact_id text references contacts (id) on delete cascade, text text not null, created_at bigint not null)`,
  'create index summaries_by_account on summaries (account_id, seq)',
  'create index summaries_by_contact on summaries (contact_id, seq) where contact_id is not null',
  `insert into summaries (id, account_id, kind, day, text, created_at)
    select id, account_id, 'daily', day, text, created_at from daily_summaries where id is not null order by day, account_id`,
  'alter table daily_summaries drop column id',
  'alter table daily_summaries drop column text',
  'alter table daily_summaries drop column created_at',
]);
