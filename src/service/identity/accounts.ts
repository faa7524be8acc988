import { defaultPlan, type AccountPlan } from '../../contract/plan.ts';
import type { Db } from '../store/database.ts';
import { prepared } from '../store/prepared.ts';
import type { Row, StoredRow } from '../store/table.ts';
import { accounts, type QuietHours } from './tables.ts';

type AccountColumns = Row<typeof accounts>;

/** An account as the service uses it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly kind: AccountColumns['kind'];
  readonly parentId: string | null;
  readonly plan: AccountPlan;
  readonly planId: AccountColumns['plan_id'];
  readonly costsHidden: boolean;
  readonly autoRechargeEnabled: boolean;
  /** In millionths of a credit; null for the default. */
  readonly lowCreditThreshold: number | null;
  readonly ownAiKey: AccountColumns['own_ai_key'];
  readonly templateProvider: AccountColumns['template_provider'];
  readonly conversationWindow: boolean;
  readonly businessName: string | null;
  readonly timezone: string;
  readonly language: string | null;
  readonly defaultCountry: string | null;
  readonly sessionHours: number;
  readonly quietHours: QuietHours | null;
  /** In millionths of a credit. */
  readonly autoRechargeCredits: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The columns of an account, except the calendar, which is large and rarely needed, and the periods of its plan. */
export const accountColumns = [
  'accounts.id',
  'accounts.name',
  'accounts.email',
  'accounts.kind',
  'accounts.parent_id',
  'accounts.plan',
  'accounts.plan_id',
  'accounts.costs_hidden',
  'accounts.auto_recharge_enabled',
  'accounts.low_credit_threshold',
  'accounts.own_ai_key',
  'accounts.template_provider',
  'accounts.conversation_window',
  'accounts.business_name',
  'accounts.timezone',
  'accounts.language',
  'accounts.default_country',
  'accounts.session_hours',
  'accounts.quiet_hours',
  'accounts.auto_recharge_credits',
  'accounts.created_at',
  'accounts.updated_at',
] as const;

/** Completes a stored plan with defaults. Plans stored by earlier versions lack newer fields. */
export function completePlan(stored: Partial<AccountPlan>): AccountPlan {
  return { ...defaultPlan, ...stored };
}

export type AccountRow = Pick<StoredRow<typeof accounts>, ColumnName<(typeof accountColumns)[number]>>;

type ColumnName<Qualified extends string> = Qualified extends `accounts.${infer Name extends keyof AccountColumns}` ? Name : never;

/** Converts a stored row, which may have other columns too, into an account. */
export function parseAccount(stored: AccountRow): Account {
  const row = accounts.decode({ ...stored });
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    kind: row.kind,
    parentId: row.parent_id,
    plan: completePlan(row.plan),
    planId: row.plan_id,
    costsHidden: row.costs_hidden,
    autoRechargeEnabled: row.auto_recharge_enabled,
    lowCreditThreshold: row.low_credit_threshold,
    ownAiKey: row.own_ai_key,
    templateProvider: row.template_provider,
    conversationWindow: row.conversation_window,
    businessName: row.business_name,
    timezone: row.timezone,
    language: row.language,
    defaultCountry: row.default_country,
    sessionHours: row.session_hours,
    quietHours: row.quiet_hours,
    autoRechargeCredits: row.auto_recharge_credits,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Reads any account; undefined when no account has this id. */
export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const [row] = await presentAccount(db, { id });
  return row && parseAccount(row);
}

const presentAccount = prepared<{ id: string }, AccountRow>((db, $) =>
  db.selectFrom('accounts').select(accountColumns).where('id', '=', $.id).where('deleted_at', 'is', null),
);

/** Reads an account that an agency manages; undefined when the agency does not manage it. */
export async function findManagedAccount(db: Db, agencyId: string, id: string): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(accountColumns)
    .where('id', '=', id)
    .where('parent_id', '=', agencyId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && parseAccount(row);
}
