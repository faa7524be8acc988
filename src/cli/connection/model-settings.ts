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
 * @throws CliError 2 if the URL is invalid, or missing for a model for embeddings, the key has an invalid character, or a tier has no model
 */
export function readModelSettings(env: World['env']): ModelSettings | undefined {
  const baseUrl = env.MSGCTL_AI_BASE_URL?.trim();
  if (!baseUrl && env.MSGCTL_AI_EMBEDDING_MODEL?.trim())
    throw usageError(
      'MSGCTL_AI_EMBEDDING_MODEL needs MSGCTL_AI_BASE_URL, the address of the service that has the model',
      'Set both, or neither.',
    );
  if (!baseUrl) return undefined;
  const url = URL.parse(baseUrl);
  if ((url?.protocol !== 'http:' && url?.protocol !== 'https:') || url.username || url.password || url.search || url.hash)
    throw usageError(
      'MSGCTL_AI_BASE_URL must be an http or https address without a user name, a password and a query',
      'Give the base address of a chat-completions service with its version, such as https://models.example/v1.',
    );
  const embeddingModel = env.MSGCTL_AI_EMBEDDING_MODEL?.trim() || null;
  const apiKey = env.MSGCTL_AI_API_KEY?.trim() || null;
  const problem = apiKey === null ? undefined : keyProblem(apiKey, 'MSGCTL_AI_API_KEY');
  if (problem !== undefined) throw usageError(problem);
  return { baseUrl, apiKey, models: readModels(env, url.origin, embeddingModel !== null), embeddingModel };
}

/**
 * Reads the model of each tier.
 * @param isOptional whether there may be none at all, because a model for embeddings is named
 */
function readModels(env: World['env'], origin: string, isOptional: boolean): ModelSettings['models'] {
  const models = modelTiers.map((tier) => [tier, env[tierVariables[tier]]?.trim() || env.MSGCTL_AI_MODEL?.trim()] as const);
  const [missing] = models.find(([, model]) => !model) ?? [];
  if (missing === undefined) return Object.fromEntries(models) as ModelSettings['models'];
  if (isOptional && models.every(([, model]) => !model)) return null;
  throw usageError(`MSGCTL_AI_MODEL must name the model to use at ${origin}, or ${tierVariables[missing]} that of the tier ${missing}`);
}
