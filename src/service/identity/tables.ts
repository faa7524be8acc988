import { initialConfig } from '../../contract/initial-config.ts';
import type { PlanId } from '../../contract/plans.ts';
import type { Permission } from '../../contract/permissions.ts';
import type { AccountPlan } from '../../contract/plan.ts';
import { boolean, credits, instant, integer, json, text } from '../store/columns.ts';
import { type StoredRow, table } from '../store/table.ts';

/** The limits of a scoped key (rules credentials.30, credentials.31, credentials.32, credentials.34). */
export interface Scopes {
  readonly read_only: boolean;
  /** Section names; empty for every section. */
  readonly tags: readonly string[];
  readonly sub_account_ids: readonly string[];
  readonly rate_limit_per_min: number;
}

/** Hours of a day, in the time zone of the account, as HH:MM. */
export interface QuietHours {
  readonly start_time: string;
  readonly end_time: string;
}

export const accounts = table('accounts', {
  seq: integer().default(0),
  id: text(),
  name: text(),
  email: text().nullable(),
  kind: text<'standard' | 'agency'>(),
  parent_id: text().nullable(),
  /** The fields that differ from the default plan. */
  plan: json<Partial<AccountPlan>>(),
  plan_id: text<PlanId>().default('sandbox'),
  /** The start of the first period of a paid plan, how many periods have ended since, and the plan that the next one begins with. */
  plan_started_at: instant().nullable(),
  plan_periods: integer().default(0),
  pending_plan_id: text<PlanId>().nullable(),
  costs_hidden: boolean().default(false),
  auto_recharge_enabled: boolean().default(false),
  /** Null for the default. */
  low_credit_threshold: credits().nullable(),
  own_ai_key: text<'none' | 'valid' | 'failing'>().default('none'),
  template_provider: text<'managed' | 'own_account' | 'own_account_incomplete'>().default('managed'),
  /** Whether free text on chatapp reaches only contacts who wrote there within a day (rule messages.18). */
  conversation_window: boolean().default(false),
  /** Null for the account's name. */
  business_name: text().nullable(),
  timezone: text().default(initialConfig.timezone),
  language: text().nullable(),
  default_country: text().nullable(),
  session_hours: integer().default(initialConfig.session_hours),
  quiet_hours: json<QuietHours>().nullable(),
  auto_recharge_credits: credits().default(1_000_000_000),
  /** The sandbox's calendar. */
  calendar: json<object>().default({}),
  created_at: instant(),
  updated_at: instant(),
  /** When the account was deleted. Readers no longer find it; maintenance deletes its records. */
  deleted_at: instant().nullable(),
});

export const apiKeys = table('api_keys', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  kind: text<'main' | 'scoped'>(),
  /** SHA-256 of the key. The key itself is not stored. */
  digest: text(),
  preview: text(),
  label: text(),
  /** Empty for a main key. */
  scopes: json<Partial<Scopes>>().default({}),
  expires_at: instant().nullable(),
  last_used_at: instant().nullable(),
  created_at: instant(),
  revoked_at: instant().nullable(),
});

export const members = table('members', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  name: text(),
  /** In lower case. Tokens of an identity provider are matched by email address. */
  email: text(),
  role: text<'owner' | 'member'>(),
  permissions: json<readonly Permission[]>(),
  created_at: instant(),
  /** Null until the first request on the account (rule team.15). */
  activated_at: instant().nullable(),
});

/** The account that a person has switched to. It ends with the membership. */
export const accountChoices = table('account_choices', {
  /** The person. */
  email: text(),
  member_id: text(),
});

declare module '../store/database.ts' {
  interface Database {
    accounts: StoredRow<typeof accounts>;
    api_keys: StoredRow<typeof apiKeys>;
    members: StoredRow<typeof members>;
    account_choices: StoredRow<typeof accountChoices>;
  }
}
