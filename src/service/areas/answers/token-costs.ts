import { characterCount } from '../../../contract/text/character-count.ts';
import { roundHalfEven } from '../../../contract/rounding.ts';
import type { PromptMessage } from './prompts.ts';
import type { Tier, Usage } from './writer.ts';

/** The price of a token, in billionths of a US dollar. Input from the provider's cache costs a tenth (rule answers.36). */
const prices: Readonly<Record<Tier, { readonly input: number; readonly output: number }>> = {
  economy: { input: 100, output: 400 },
  mini: { input: 250, output: 1_000 },
  standard: { input: 1_000, output: 4_000 },
  max: { input: 5_000, output: 20_000 },
};

/** The cost of a call, in whole millionths of a US dollar. Each kind of token is rounded individually. */
interface CallCost {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** The cost of a call. */
export function costOf(tier: Tier, { inputTokens, cachedInputTokens, outputTokens }: Usage): CallCost {
  const { input, output } = prices[tier];
  return {
    input: roundHalfEven((inputTokens * input) / 1_000),
    cacheRead: roundHalfEven((cachedInputTokens * input) / 10_000),
    output: roundHalfEven((outputTokens * output) / 1_000),
  };
}

/**
 * Estimates the tokens of a call for which none are reported, from its prompt and its result (rule answers.35). The built-in
 * writer has a prompt too, although no model receives it.
 */
export function estimateUsage(prompt: readonly PromptMessage[], text: string): Usage {
  return { inputTokens: estimateTokens(prompt.map(({ content }) => content)), cachedInputTokens: 0, outputTokens: estimateTokens([text]) };
}

/** Estimates the number of tokens of texts. A token counts as four characters. */
function estimateTokens(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + characterCount(text), 0) / 4);
}
