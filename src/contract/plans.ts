import type { AccountPlan } from './plan.ts';

/** What a plan sets of an account: the number of agents and the rate limits. */
export type PlanFields = Pick<AccountPlan, 'max_agents' | 'key_requests_per_minute' | 'account_requests_per_minute'>;

/** A plan that an account can be on. */
export interface Plan {
  readonly name: string;
  /** In whole US dollars a month. */
  readonly price_usd: number;
  /** In whole credits; null for none. */
  readonly monthly_credits: number | null;
  readonly plan: PlanFields;
}

const usualRates = { key_requests_per_minute: 300, account_requests_per_minute: 1_200 } as const;

/** The plans, the cheapest first (rule billing.1). */
export const plans = {
  sandbox: { name: 'Sandbox', price_usd: 0, monthly_credits: null, plan: { max_agents: 20, ...usualRates } },
  starter: { name: 'Starter', price_usd: 29, monthly_credits: 1_000, plan: { max_agents: 3, ...usualRates } },
  growth: { name: 'Growth', price_usd: 99, monthly_credits: 5_000, plan: { max_agents: 10, ...usualRates } },
  scale: {
    name: 'Scale',
    price_usd: 299,
    monthly_credits: 20_000,
    plan: { max_agents: 50, key_requests_per_minute: 600, account_requests_per_minute: 2_400 },
  },
} as const satisfies Record<string, Plan>;

export type PlanId = keyof typeof plans;

export const planIds = Object.keys(plans) as [PlanId, ...PlanId[]];

/** The plans that an account on a plan can choose. Only accounts on `sandbox` see it listed (rule billing.2). */
export function listedPlans(current: PlanId): PlanId[] {
  return planIds.filter((id) => id !== 'sandbox' || current === 'sandbox');
}
