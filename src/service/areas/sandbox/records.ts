import type { Updateable } from 'kysely';
import type { Body } from '../../../contract/endpoint.ts';
import type { updateAccount } from '../../../contract/areas/sandbox/endpoints.ts';
import { type Account, readCalendar } from '../../identity/accounts.ts';
import { iso } from '../../clock/clock.ts';
import { unpack } from '../../http/request-log.ts';
import type { AccountsTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import { readBalance } from '../credits/records.ts';
import { setBalance } from '../credits/transfers.ts';
import { toCredits, toMillionths } from '../credits/rules.ts';

/** An account as the control surface shows it (5/A2). */
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
    low_credit_threshold: account.lowCreditThreshold,
    own_ai_key: account.ownAiKey,
    template_provider: account.templateProvider,
    calendar: await readCalendar(db, account.id),
    created_at: iso(account.createdAt),
    updated_at: iso(account.updatedAt),
  };
}

const flag = (value: boolean) => (value ? 1 : 0);

/** Changes what is given of an account's plan, settings and balance. */
export async function mergeAccount(db: Db, account: Account, body: Body<typeof updateAccount>, now: number): Promise<void> {
  const { low_credit_threshold: threshold, calendar } = body;
  const change: Updateable<AccountsTable> = {
    updated_at: now,
    ...(body.plan && { plan: JSON.stringify({ ...account.plan, ...body.plan }) }),
    ...(body.costs_hidden !== undefined && { costs_hidden: flag(body.costs_hidden) }),
    ...(body.auto_recharge_enabled !== undefined && { auto_recharge_enabled: flag(body.auto_recharge_enabled) }),
    ...(threshold !== undefined && { low_credit_threshold: threshold === null ? null : toMillionths(threshold) }),
    ...(body.own_ai_key && { own_ai_key: body.own_ai_key }),
    ...(body.template_provider && { template_provider: body.template_provider }),
    ...(calendar && { calendar: JSON.stringify({ ...(await readCalendar(db, account.id)), ...calendar }) }),
  };
  await db.updateTable('accounts').set(change).where('id', '=', account.id).execute();
  if (body.credits === undefined) return;
  const settings = {
    ...account,
    autoRechargeEnabled: body.auto_recharge_enabled ?? account.autoRechargeEnabled,
    lowCreditThreshold: threshold === undefined ? account.lowCreditThreshold : threshold,
  };
  await setBalance(db, settings, toMillionths(body.credits), now);
}

/** Reads the request log by descending `seq`, below `before`. */
export async function listRequests(db: Db, before: number | undefined, take: number) {
  const query = db.selectFrom('request_log').select(['seq', 'entry']).orderBy('seq', 'desc').limit(take);
  return await (before === undefined ? query : query.where('seq', '<', before)).execute();
}

/** An entry of the request log as answers show it. */
export function requestRecord(row: { entry: string }) {
  const entry = unpack(row.entry);
  return { ...entry, at: iso(entry.at) };
}
