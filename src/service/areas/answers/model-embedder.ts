import type { Embedder } from '../faqs/embedder.ts';
import type { ModelClient } from './model-client.ts';
import type { ModelSettings } from './model-settings.ts';
import { WriterFailed, WriterStopped } from './writer.ts';

/** How long a question waits for its vector, in real milliseconds. */
const questionLimit = 2_000;

/** A failure is noted once in this time, in real milliseconds. */
const quietTime = 60_000;

/** Turns texts into vectors with a model at an address. */
export class ModelEmbedder implements Embedder {
  readonly model: string;
  readonly #settings: ModelSettings;
  #client: Promise<ModelClient> | undefined;
  readonly #onError: (error: unknown) => void;
  #notedAt = -Infinity;
  #isClosed = false;

  constructor(model: string, settings: ModelSettings, onError: (error: unknown) => void) {
    this.model = model;
    this.#settings = settings;
    this.#onError = onError;
  }

  async embed(accountId: string, texts: readonly string[], { isQuestion = false } = {}): Promise<Float32Array[] | null> {
    try {
      const client = await this.#ready();
      const vectors = await client.embed(accountId, this.model, texts, isQuestion ? questionLimit : undefined);
      return vectors.map(unitVector);
    } catch (error) {
      if (!(error instanceof WriterFailed)) throw error;
      this.#note(error);
      return null;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#client)?.close();
  }

  async #ready(): Promise<ModelClient> {
    if (this.#isClosed) throw new WriterStopped();
    return await (this.#client ??= import('./model-client.ts').then(({ ModelClient }) => new ModelClient(this.#settings)));
  }

  #note(error: WriterFailed): void {
    if (error instanceof WriterStopped || performance.now() - this.#notedAt < quietTime) return;
    this.#notedAt = performance.now();
    this.#onError(new WriterFailed(`FAQs are found by their words alone, because ${this.model} has no vectors: ${error.message}`));
  }
}

/** A vector of the same direction with the length 1. */
function unitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
