import { changePlan, getSubscription } from '../../../contract/areas/billing/endpoints.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { localTime } from '../../output/times.ts';
import { planLookup } from '../../lookups/plans.ts';
import type { Proposed, Question } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';

/** The question before a change of the plan: what it costs now, which credits it adds now, and when it begins. */
export async function askToChange({ session, values: [word], options }: Proposed): Promise<Question | null> {
  if (options.preview === true || session?.input.preview === true) return null;
  if (!session) return `Change the plan to ${word}?`;
  const wanted = word ?? session.input.plan_id;
  if (typeof wanted !== 'string') return 'Change the plan?';
  const plan = await session.names.record(planLookup, wanted);
  const client = await session.targets.client();
  const [{ subscription: before }, change] = await Promise.all([
    client.call(getSubscription, {}),
    client.call(changePlan, { body: { plan_id: plan.id, preview: true } }),
  ]);
  const { subscription, credits_now: credits, price_now_usd: price, effective_at: at } = change;
  if (subscription.pending_plan_id === plan.id) {
    const day = localTime(Date.parse(at), session.world.env.TZ || undefined).slice(0, 16);
    const undo = `msgctl billing change ${before.plan_id}${sameTarget(session)}`;
    return {
      text: `Change the plan to ${plan.name} on ${day}? Until then ${before.plan_id} stays, and nothing is paid or added now`,
      undo,
    };
  }
  if (before.plan_id === plan.id)
    return before.pending_plan_id === null
      ? null
      : {
          text: `Keep the plan ${plan.name}, without the change to ${before.pending_plan_id}?`,
          undo: `msgctl billing change ${before.pending_plan_id}${sameTarget(session)}`,
        };
  const monthly = `then ${dollars(plan.price_usd)} and ${digits(plan.monthly_credits ?? 0)} credits a month`;
  return `Change the plan to ${plan.name} now? It costs ${dollars(price)} and adds ${counted(credits, 'credit')} now, ${monthly}`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}
