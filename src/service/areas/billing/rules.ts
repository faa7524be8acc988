import { type PlanId, plans } from '../../../contract/plans.ts';
import { dayLength } from '../../../contract/time/days.ts';

/** The subscription of an account to a plan. */
export interface Subscription {
  readonly planId: PlanId;
  /** The start of the first period, in epoch milliseconds; null on `sandbox`, which has no periods. */
  readonly startedAt: number | null;
  /** How many periods have ended since then. */
  readonly periods: number;
  /** The cheaper plan that begins with the next period. */
  readonly pendingPlanId: PlanId | null;
}

/** The instant some calendar months after another one: on the same day and at the same time, or on the last day of a shorter month. */
export function monthsAfter(instant: number, months: number): number {
  const date = new Date(instant);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDay = instant - Math.floor(instant / dayLength) * dayLength;
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + timeOfDay;
}

/** When the next period begins (rule billing.11). Each is counted from the first, so a 31st comes back after a shorter month. */
export function renewsAt({ startedAt, periods }: Subscription): number | null {
  return startedAt === null ? null : monthsAfter(startedAt, periods + 1);
}

/** A plan that allows fewer agents than there are. */
export interface Blocking {
  readonly max_agents: { readonly have: number; readonly limit: number };
}

/** What keeps an account from a plan (rule billing.9). @param agents how many it has */
export function blockingOf(planId: PlanId, agents: number): Blocking | undefined {
  const { max_agents: limit } = plans[planId].plan;
  return agents > limit ? { max_agents: { have: agents, limit } } : undefined;
}

/** The start of a period. */
export interface Renewal {
  readonly subscription: Subscription;
  /** The whole credits that are added. */
  readonly credits: number;
  /** The pending plan that was dropped, because there were too many agents for it. */
  readonly dropped: PlanId | null;
}

/** Begins the next period, with the pending plan if the account may have it (rules billing.10, billing.12). */
export function renew({ planId, startedAt, periods, pendingPlanId: pending }: Subscription, agents: number): Renewal {
  const isBlocked = pending !== null && blockingOf(pending, agents) !== undefined;
  const next = pending === null || isBlocked ? planId : pending;
  return {
    subscription: { planId: next, startedAt, periods: periods + 1, pendingPlanId: null },
    credits: plans[next].monthly_credits ?? 0,
    dropped: isBlocked ? pending : null,
  };
}

/** The renewals that are due by an instant, in order. */
export function dueRenewals(subscription: Subscription, agents: number, now: number): Renewal[] {
  const due: Renewal[] = [];
  for (let last = subscription; ;) {
    const at = renewsAt(last);
    if (at === null || at > now) return due;
    const renewal = renew(last, agents);
    due.push(renewal);
    last = renewal.subscription;
  }
}

/** What a change of the plan does. */
export interface Change {
  readonly subscription: Subscription;
  /** The whole credits that are added at once. */
  readonly credits: number;
  /** The price of the change, in US cents. */
  readonly cents: number;
  /** When the plan is in force, in epoch milliseconds. */
  readonly effectiveAt: number;
}

/** Changes the plan of a subscription without due renewals (rules billing.5 to billing.8). */
export function changeTo(planId: PlanId, subscription: Subscription, now: number): Change {
  const [from, to] = [plans[subscription.planId], plans[planId]];
  const at = renewsAt(subscription);
  if (at !== null && to.price_usd < from.price_usd)
    return { subscription: { ...subscription, pendingPlanId: planId }, credits: 0, cents: 0, effectiveAt: at };
  const changed = { ...subscription, planId, pendingPlanId: null };
  if (planId === subscription.planId) return { subscription: changed, credits: 0, cents: 0, effectiveAt: now };
  const credits = (to.monthly_credits ?? 0) - (from.monthly_credits ?? 0);
  const cents = (to.price_usd - from.price_usd) * 100;
  if (at === null) return { subscription: { ...changed, startedAt: now, periods: 0 }, credits, cents, effectiveAt: now };
  const start = monthsAfter(subscription.startedAt as number, subscription.periods);
  const [left, length] = [at - now, at - start];
  return {
    subscription: changed,
    credits: quotient(credits * left, length),
    // Half a cent is rounded up.
    cents: quotient(2 * cents * left + length, 2 * length),
    effectiveAt: now,
  };
}

/** The whole part of a fraction of whole numbers from 0. Both are far below 2^53, so that it is exact. */
function quotient(numerator: number, denominator: number): number {
  return (numerator - (numerator % denominator)) / denominator;
}
