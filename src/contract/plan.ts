import * as z from 'zod';
import { limits } from './limits.ts';

/** Agencies manage sub-accounts; standard accounts have none. */
export const accountKind = () => z.enum(['standard', 'agency']);

/** The features that a plan can exclude, with the error text of requests that need them. */
export const features = {
  webhooks: 'Webhooks are not enabled on this account',
  chatapp_templates: 'The plan of this account does not include chat-app templates',
} as const;

export type Feature = keyof typeof features;

/** The price tiers of models. */
export const modelTiers = ['economy', 'standard', 'mini', 'max'] as const;

const count = () => z.int().min(0).max(1_000_000_000);

/** The features and limits of an account's plan. */
export const plan = () =>
  z.object({
    api_access: z.boolean(),
    webhooks: z.boolean(),
    chatapp_templates: z.boolean(),
    max_agents: count(),
    max_agent_bytes: count(),
    pending_pages: count(),
    key_requests_per_minute: count().min(1),
    account_requests_per_minute: count().min(1),
    ai_model_tiers: z.array(z.enum(modelTiers)),
  });

export type AccountPlan = z.output<ReturnType<typeof plan>>;

/** The plan of a new account, with every feature enabled. */
export const defaultPlan: AccountPlan = {
  api_access: true,
  webhooks: true,
  chatapp_templates: true,
  max_agents: limits.maxAgents,
  max_agent_bytes: limits.maxAgentBytes,
  pending_pages: limits.pendingPages,
  key_requests_per_minute: limits.mainKeyRequestsPerMinute,
  account_requests_per_minute: limits.accountRequestsPerMinute,
  ai_model_tiers: [...modelTiers],
};
