import type { Tier } from './writer.ts';

/** A model at an address that supports the chat-completions protocol. */
export interface ModelSettings {
  /** With the version prefix, such as `https://models.example/v1`. `/chat/completions` is appended. */
  readonly baseUrl: string;
  /** Null for a server that needs no key. */
  readonly apiKey: string | null;
  /** The name of the model for each tier; null to write by the built-in rules. */
  readonly models: Readonly<Record<Tier, string>> | null;
  /** The model that finds FAQs by their meaning, at `/embeddings`; null to find them by their words alone. */
  readonly embeddingModel?: string | null;
  /** The time limit of a call including its retries, in real milliseconds; 20 seconds by default (rule answers.9). */
  readonly timeout?: number;
  /** The wait before the first retry, in real milliseconds; half a second by default. It doubles with each retry. */
  readonly firstRetry?: number;
}

/** Those of a model that writes. */
export type WritingSettings = ModelSettings & { readonly models: NonNullable<ModelSettings['models']> };
