import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, timestamp } from '../../fields.ts';
import { plan } from '../../plan.ts';
import { planIds } from '../../plans.ts';

const planId = () => z.enum(planIds).describe('the id of the plan');
const monthlyCredits = () => z.number().nullable().describe('the credits that the plan adds each month; null for none');

const offer = () =>
  z.object({
    id: planId(),
    name: z.string(),
    price_usd: z.number().describe('what it costs a month, in US dollars'),
    monthly_credits: monthlyCredits(),
    plan: plan()
      .pick({ max_agents: true, key_requests_per_minute: true, account_requests_per_minute: true })
      .describe('what it sets of the plan of the account'),
  });

const subscription = () =>
  z.object({
    plan_id: planId(),
    status: z.enum(['active', 'changing']).describe('whether a cheaper plan begins at the next renewal'),
    monthly_credits: monthlyCredits(),
    renews_at: timestamp().nullable().describe('when the next period begins; null on `sandbox`'),
    pending_plan_id: z.enum(planIds).nullable().describe('the plan that begins at the next renewal; null for none'),
  });

const shared = { section: 'Billing', access: 'account', permission: 'billing.view' } as const;

export const listPlans = endpoint({
  ...shared,
  name: 'billing.plans',
  method: 'GET',
  path: '/billing/plans',
  summary: 'List the plans that the account can choose, the cheapest first',
  responses: { 200: () => z.object({ plans: z.array(offer()) }) },
});

export const getSubscription = endpoint({
  ...shared,
  name: 'billing.get',
  method: 'GET',
  path: '/billing/subscription',
  summary: 'Show the plan of the account and when it renews',
  responses: { 200: () => z.object({ subscription: subscription() }) },
});

export const changePlan = endpoint({
  section: 'Billing',
  access: 'account',
  isForOwners: true,
  name: 'billing.change',
  method: 'POST',
  path: '/billing/change-plan',
  summary: 'Change the plan of the account: up at once, down at the next renewal',
  body: () =>
    z.object({
      plan_id: id().describe('the id of a plan'),
      preview: z.boolean().optional().meta({ description: 'only say what the change would do', defaultText: 'false' }),
    }),
  changesNothing: ({ preview }) => preview === true,
  responses: {
    200: () =>
      z.object({
        subscription: subscription(),
        credits_now: z.number().describe('the credits that are added at once'),
        price_now_usd: z.number().describe('the price of the change, in US dollars; no money moves'),
        effective_at: timestamp().describe('when the plan is in force'),
      }),
  },
  errors: [404, 409],
});

export const billingEndpoints = [listPlans, getSubscription, changePlan] as const;
