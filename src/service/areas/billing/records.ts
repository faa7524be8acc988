import { type PlanId, plans } from '../../../contract/plans.ts';
import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import { accounts } from '../../identity/tables.ts';
import type { Db } from '../../store/database.ts';
import { toMillionths } from '../../store/millionths.ts';
import type { Journal } from '../activity/journal.ts';
import { balanceMax } from '../credits/rules.ts';
import { renewalJob } from './renewal-job.ts';
import { type Change, type Renewal, renewsAt, type Subscription } from './rules.ts';

/** Reads the subscription of an account. @throws ApiError 404 when the account was deleted */
export async function readSubscription(db: Db, accountId: string): Promise<Subscription> {
  const row = await db
    .selectFrom('accounts')
    .select(['plan_id', 'plan_started_at', 'plan_periods', 'pending_plan_id'])
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound('account');
  return { planId: row.plan_id, startedAt: row.plan_started_at, periods: row.plan_periods, pendingPlanId: row.pending_plan_id };
}

/** A subscription as answers show it. */
export function subscriptionRecord(subscription: Subscription) {
  const { planId, pendingPlanId } = subscription;
  const at = renewsAt(subscription);
  return {
    plan_id: planId,
    status: pendingPlanId === null ? ('active' as const) : ('changing' as const),
    monthly_credits: plans[planId].monthly_credits,
    renews_at: at === null ? null : iso(at),
    pending_plan_id: pendingPlanId,
  };
}

/** A plan as answers show it. */
export function planRecord(id: PlanId) {
  const { name, price_usd, monthly_credits, plan } = plans[id];
  return { id, name, price_usd, monthly_credits, plan: { ...plan } };
}

/**
 * Writes renewals, and then a change: the credits, the subscription, what the plan sets of the account, and the job of the next renewal.
 * @param before the stored subscription
 */
export async function saveSubscription(
  db: Db,
  journal: Journal,
  before: Subscription,
  renewals: readonly Renewal[],
  change?: Change,
): Promise<void> {
  for (const { credits, dropped } of renewals) {
    await addMonthlyCredits(journal, credits);
    if (dropped !== null) journal.notify(droppedChange(dropped));
  }
  if (change && change.credits > 0) await journal.post(creditsOf(change));
  const after = change?.subscription ?? renewals.at(-1)?.subscription ?? before;
  const { account, now } = journal;
  const columns = {
    plan_id: after.planId,
    plan_started_at: after.startedAt,
    plan_periods: after.periods,
    pending_plan_id: after.pendingPlanId,
    ...(after.planId !== before.planId && { plan: { ...account.plan, ...plans[after.planId].plan } }),
    updated_at: now,
  };
  await db.updateTable('accounts').set(accounts.encode(columns)).where('id', '=', account.id).execute();
  const at = renewsAt(after);
  if (at !== null && at !== renewsAt(before)) await enqueue(db, renewalJob(account.id, at));
}

/** Checks that the balance can hold the credits of a change. @throws ApiError 400 */
export async function checkCredits(journal: Journal, change: Change): Promise<void> {
  const error = change.credits > 0 ? await journal.postingError(creditsOf(change)) : undefined;
  if (error) throw error;
}

function creditsOf({ credits }: Change) {
  return { millionths: toMillionths(credits), reason: 'plan_change' } as const;
}

/** Adds the credits of a period, or as many as the balance can still hold, so that a full balance stops no renewal (rule billing.14). */
async function addMonthlyCredits(journal: Journal, credits: number): Promise<void> {
  const millionths = Math.min(toMillionths(credits), balanceMax - (await journal.balance()));
  if (millionths > 0) await journal.post({ millionths, reason: 'plan_renewal' });
}

function droppedChange(planId: PlanId) {
  const { name } = plans[planId];
  const text = `The account has more agents than ${name} allows, so it stays on its plan. Delete agents and change the plan again.`;
  return { kind: 'plan_change_blocked', title: `The change to ${name} was dropped`, text, entity: null } as const;
}
