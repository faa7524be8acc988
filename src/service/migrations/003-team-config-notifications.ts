import { migration } from '../store/migration.ts';

/** Invitations and the choice of an account. */
export const teamConfigNotifications = migration('0.4.0 team, config, notifications, errors', () => [
  'alter table members add column activated_at bigint',
  'update members set activated_at = created_at',
  `create table account_choices (
    email text not null primary key, member_id text not null references members (id) on delete cascade)`,
  'create index account_choices_by_member on account_choices (member_id)',
]);
