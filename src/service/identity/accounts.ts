import type { CalendarFixture } from '../../contract/areas/sandbox/endpoints.ts';
import { defaultPlan, type Plan } from '../../contract/areas/accounts/plan.ts';
import { newId } from './secrets.ts';
import type { AccountsTable } from '../store/schema.ts';
import type { Db } from '../store/store.ts';

/** An account, as the service works with it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly kind: 'standard' | 'agency';
  readonly parentId: string | null;
  readonly plan: Plan;
  readonly costsHidden: boolean;
  readonly autoRechargeEnabled: boolean;
  /** In credits; null for the default. */
  readonly lowCreditThreshold: number | null;
  readonly ownAiKey: AccountsTable['own_ai_key'];
  readonly templateProvider: AccountsTable['template_provider'];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The columns of an account; the calendar is left out, as it is long and seldom needed. */
export const accountColumns = [
  'accounts.id',
  'accounts.name',
  'accounts.email',
  'accounts.kind',
  'accounts.parent_id',
  'accounts.plan',
  'accounts.costs_hidden',
  'accounts.auto_recharge_enabled',
  'accounts.low_credit_threshold',
  'accounts.own_ai_key',
  'accounts.template_provider',
  'accounts.created_at',
  'accounts.updated_at',
] as const;

export type AccountRow = Omit<AccountsTable, 'seq' | 'calendar'>;

export function parseAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    kind: row.kind,
    parentId: row.parent_id,
    plan: { ...defaultPlan, ...(JSON.parse(row.plan) as Partial<Plan>) },
    costsHidden: row.costs_hidden === 1,
    autoRechargeEnabled: row.auto_recharge_enabled === 1,
    lowCreditThreshold: row.low_credit_threshold === null ? null : row.low_credit_threshold / 1e6,
    ownAiKey: row.own_ai_key,
    templateProvider: row.template_provider,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Reads any account; undefined when there is none. */
export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const row = await db.selectFrom('accounts').select(accountColumns).where('id', '=', id).executeTakeFirst();
  return row && parseAccount(row);
}

/** Reads an account that an agency manages; undefined when there is none of that id under it. */
export async function findManagedAccount(db: Db, agencyId: string, id: string): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select(accountColumns)
    .where('id', '=', id)
    .where('parent_id', '=', agencyId)
    .executeTakeFirst();
  return row && parseAccount(row);
}

export async function readCalendar(db: Db, id: string): Promise<CalendarFixture> {
  const { calendar } = await db.selectFrom('accounts').select('calendar').where('id', '=', id).executeTakeFirstOrThrow();
  return JSON.parse(calendar) as CalendarFixture;
}

/** What a new account is made of. */
export interface NewAccount {
  readonly name: string;
  readonly email: string | null;
  readonly kind: 'standard' | 'agency';
  readonly parentId: string | null;
  /** What differs from the default plan. */
  readonly plan: Partial<Plan>;
  readonly now: number;
}

/** Makes an account with an empty balance. Returns its id. */
export async function insertAccount(db: Db, account: NewAccount): Promise<string> {
  const id = newId('acc');
  await db
    .insertInto('accounts')
    .values({
      id,
      name: account.name,
      email: account.email,
      kind: account.kind,
      parent_id: account.parentId,
      plan: JSON.stringify(account.plan),
      costs_hidden: 0,
      auto_recharge_enabled: 0,
      low_credit_threshold: null,
      own_ai_key: 'none',
      template_provider: 'managed',
      calendar: '{}',
      created_at: account.now,
      updated_at: account.now,
    })
    .execute();
  await db.insertInto('balances').values({ account_id: id, millionths: 0 }).execute();
  return id;
}
