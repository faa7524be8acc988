import type { updateAccount } from '../../../contract/areas/sandbox/accounts.ts';
import type { CalendarFixture } from '../../../contract/areas/sandbox/calendar.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import { type Account, findAccount } from '../../identity/accounts.ts';
import { endChoices } from '../../identity/members.ts';
import { accounts } from '../../identity/tables.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { mergeCalendar, readCalendar } from '../calendars/records.ts';
import { readBalance } from '../credits/records.ts';
import { toCredits, toMillionths } from '../../store/millionths.ts';

/** @throws ApiError 404 when there is no such account */
export async function requireAccount(db: Db, id: string): Promise<Account> {
  const account = await findAccount(db, id);
  if (!account) throw notFound('account');
  return account;
}

/** Changes an account or its records, in a transaction. @throws ApiError 404 when there is no such account */
export async function changeAccount<Result>(
  { store }: Pick<Service, 'store'>,
  id: string,
  work: (db: Db, account: Account) => Promise<Result>,
): Promise<Result> {
  return await store.write(async (db) => await work(db, await requireAccount(db, id)), { accounts: [id] });
}

/** An account as the sandbox shows it (rule sandbox.38). */
export async function accountRecord(db: Db, account: Account) {
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    kind: account.kind,
    parent_account_id: account.parentId,
    plan: account.plan,
    credits: toCredits((await readBalance(db, account.id)).millionths),
    costs_hidden: account.costsHidden,
    auto_recharge_enabled: account.autoRechargeEnabled,
    auto_recharge_credits: toCredits(account.autoRechargeCredits),
    low_credit_threshold: account.lowCreditThreshold === null ? null : toCredits(account.lowCreditThreshold),
    own_ai_key: account.ownAiKey,
    template_provider: account.templateProvider,
    conversation_window: account.conversationWindow,
    calendar: await readCalendar(db, account.id),
    created_at: iso(account.createdAt),
    updated_at: iso(account.updatedAt),
  };
}

/** The changed settings of an account. The calendar includes the events from iCalendar text. */
type AccountChange = Omit<Body<typeof updateAccount>, 'calendar'> & { readonly calendar: CalendarFixture | undefined };

/** Changes the given fields of an account's plan, settings, calendar and balance. */
export async function mergeAccount(db: Db, account: Account, change: AccountChange, now: number): Promise<void> {
  const { plan, calendar, credits, ...settings } = change;
  const columns = { ...accounts.read(settings), ...(plan && { plan: { ...account.plan, ...plan } }), updated_at: now };
  await db.updateTable('accounts').set(accounts.encode(columns)).where('id', '=', account.id).execute();
  // A choice of an account that no request reaches could not be taken back (rule team.12).
  if (plan?.api_access === false) await endChoices(db, account.id);
  if (calendar) await mergeCalendar(db, account.id, calendar);
  if (credits !== undefined) await setBalance(db, await requireAccount(db, account.id), toMillionths(credits), now);
}

/** Sets a balance by posting an adjustment (rule sandbox.37). */
export async function setBalance(db: Db, account: Account, target: number, now: number): Promise<void> {
  await withJournal(db, account, now, async (journal) => {
    const change = target - (await journal.balance());
    if (change !== 0) await journal.post({ millionths: change, reason: 'sandbox_adjustment' });
  });
}
