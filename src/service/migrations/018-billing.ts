import { migration } from '../store/migration.ts';

/** Plans of accounts, labels of phone numbers, prices of credits, and brands of agencies. */
export const billing = migration('0.3.0 billing', ({ account, times }) => [
  "alter table accounts add column plan_id text not null default 'sandbox'",
  'alter table accounts add column plan_started_at bigint',
  'alter table accounts add column plan_periods bigint not null default 0',
  'alter table accounts add column pending_plan_id text',
  `create table phone_numbers (${account}, number text not null, label text not null, primary key (account_id, number))`,
  `create table credit_prices (${account} primary key, usd_per_1000 bigint)`,
  `create table white_labels (
    ${account} primary key, brand_name text, logo_url text, colour text, support_email text, enabled bigint not null, slug text unique,
    headline text, packages text not null, ${times})`,
]);
