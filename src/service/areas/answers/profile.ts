import { type AgentProfile, type AgentTexts, defaultTier, type Tier } from './writer.ts';

/** An agent as it is stored. */
interface StoredAgent extends AgentTexts {
  readonly name: string | null;
  readonly language: string | null;
  readonly ai_model_tier: Tier | null;
}

/** An agent as a writer knows it. */
export function profileOf({ name, language, ai_model_tier: tier, goal, personality, rules, instructions }: StoredAgent): AgentProfile {
  return { name, language, tier: tier ?? defaultTier, goal, personality, rules, instructions };
}
