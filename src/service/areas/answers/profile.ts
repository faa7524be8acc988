import { type AgentProfile, type AgentTexts, defaultTier, type Tier } from './writer.ts';

/** The stored columns of an agent that a profile needs. */
interface StoredAgent extends AgentTexts {
  readonly account_id: string;
  readonly name: string | null;
  readonly language: string | null;
  readonly ai_model_tier: Tier | null;
}

/** The profile of an agent for a writer. */
export function profileOf(agent: StoredAgent): AgentProfile {
  const { account_id: accountId, name, language, ai_model_tier: tier, goal, personality, rules, instructions } = agent;
  return { accountId, name, language, tier: tier ?? defaultTier, goal, personality, rules, instructions };
}
