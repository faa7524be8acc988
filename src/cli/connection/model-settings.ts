import { modelTiers } from '../../contract/plan.ts';
import type { ModelSettings } from '../../service/areas/answers/model-settings.ts';
import { usageError } from '../errors.ts';
import type { World } from '../world.ts';
import { keyProblem } from './checks.ts';

/** The environment variable with the model of each tier. */
const tierVariables = {
  economy: 'MSGCTL_AI_MODEL_ECONOMY',
  standard: 'MSGCTL_AI_MODEL_STANDARD',
  mini: 'MSGCTL_AI_MODEL_MINI',
  max: 'MSGCTL_AI_MODEL_MAX',
} as const satisfies Record<(typeof modelTiers)[number], string>;

/**
 * Reads the language model settings from the environment; undefined to use the built-in rules.
 * @throws CliError 2 if the URL is invalid, the key has an invalid character, or a tier has no model
 */
export function readModelSettings(env: World['env']): ModelSettings | undefined {
  const baseUrl = env.MSGCTL_AI_BASE_URL?.trim();
  if (!baseUrl) return undefined;
  const url = URL.parse(baseUrl);
  if ((url?.protocol !== 'http:' && url?.protocol !== 'https:') || url.username || url.password || url.search || url.hash)
    throw usageError(
      'MSGCTL_AI_BASE_URL must be an http or https address without a user name, a password and a query',
      'Give the base address of a chat-completions service with its version, such as https://models.example/v1.',
    );
  const models = modelTiers.map((tier) => {
    const variable = tierVariables[tier];
    const model = env[variable]?.trim() || env.MSGCTL_AI_MODEL?.trim();
    if (!model) throw usageError(`MSGCTL_AI_MODEL must name the model to use at ${url.origin}, or ${variable} that of the tier ${tier}`);
    return [tier, model] as const;
  });
  const apiKey = env.MSGCTL_AI_API_KEY?.trim() || null;
  const problem = apiKey === null ? undefined : keyProblem(apiKey, 'MSGCTL_AI_API_KEY');
  if (problem !== undefined) throw usageError(problem);
  const embeddingModel = env.MSGCTL_AI_EMBEDDING_MODEL?.trim() || null;
  return { baseUrl, apiKey, models: Object.fromEntries(models) as ModelSettings['models'], embeddingModel };
}
