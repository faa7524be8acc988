import * as z from 'zod';
import { limits } from '../../limits.ts';

const count = () => z.int().min(0).max(1_000_000_000);

/** What an account's plan includes (5/A2, plan). */
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
    ai_model_tiers: z.array(z.enum(['economy', 'standard', 'mini', 'max'])),
  });

export type Plan = z.output<ReturnType<typeof plan>>;

/** The plan of a new account: all features on. */
export const defaultPlan: Plan = {
  api_access: true,
  webhooks: true,
  chatapp_templates: true,
  max_agents: limits.maxAgents,
  max_agent_bytes: limits.maxAgentBytes,
  pending_pages: limits.pendingPages,
  key_requests_per_minute: limits.mainKeyRequestsPerMinute,
  account_requests_per_minute: limits.accountRequestsPerMinute,
  ai_model_tiers: ['economy', 'standard', 'mini', 'max'],
};
