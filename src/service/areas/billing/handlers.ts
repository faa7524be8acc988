import { listedPlans } from '../../../contract/plans.ts';
import { iso } from '../../../contract/time/instants.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { findAccount } from '../../identity/accounts.ts';
import { withJournal } from '../activity/journal.ts';
import { countAgents } from '../agents/records.ts';
import { checkCredits, planRecord, readSubscription, saveSubscription, subscriptionRecord } from './records.ts';
import { blockingOf, changeTo, dueRenewals } from './rules.ts';

export const billingHandlers: AreaHandlers<'billing'> = {
  'billing.plans': async ({ account }) => ({ plans: listedPlans(account.planId).map(planRecord) }),

  'billing.get': async ({ db, account }) => ({ subscription: subscriptionRecord(await readSubscription(db, account.id)) }),

  'billing.change': async ({ db, account: { id }, body, now }) => {
    // The sandbox may have changed the rest of the plan since the request began.
    const account = await findAccount(db, id);
    if (!account) throw notFound('account');
    const stored = await readSubscription(db, id);
    const agents = await countAgents(db, id);
    // Periods whose jobs are late begin first, so that the share of the present one is right.
    const renewals = dueRenewals(stored, agents, now);
    const current = renewals.at(-1)?.subscription ?? stored;
    const planId = listedPlans(current.planId).find((each) => each === body.plan_id);
    if (planId === undefined) throw notFound('plan');
    const blocking = planId === current.planId ? undefined : blockingOf(planId, agents);
    if (blocking) {
      const { have, limit } = blocking.max_agents;
      throw new ApiError(409, `The account has ${have} agents; ${planRecord(planId).name} allows ${limit}`, { blocking });
    }
    const change = changeTo(planId, current, now);
    await withJournal(db, account, now, async (journal) => {
      if (body.preview === true) await checkCredits(journal, change);
      else await saveSubscription(db, journal, stored, renewals, change);
    });
    return {
      subscription: subscriptionRecord(change.subscription),
      credits_now: change.credits,
      price_now_usd: change.cents / 100,
      effective_at: iso(change.effectiveAt),
    };
  },
};
