import type { Embedder } from '../faqs/embedder.ts';
import type { LazyModelClient } from './lazy-model-client.ts';
import { Warning } from '../../warning.ts';
import { TextRefused, WriterFailed, WriterStopped } from './writer.ts';

/** How long a question waits for its vector, in real milliseconds. */
const questionLimit = 2_000;

/** A failure is noted once in this time, in real milliseconds. */
const quietTime = 60_000;

/** Turns texts into vectors with a model at an address. */
export class ModelEmbedder implements Embedder {
  readonly model: string;
  readonly #client: LazyModelClient;
  readonly #onError: (error: unknown) => void;
  #notedAt = -Infinity;

  constructor(model: string, client: LazyModelClient, onError: (error: unknown) => void) {
    this.model = model;
    this.#client = client;
    this.#onError = onError;
  }

  async embed(accountId: string, texts: readonly string[], { isQuestion = false } = {}): Promise<Float32Array[] | null> {
    try {
      const vectors = await this.#embedEach(accountId, texts, isQuestion ? questionLimit : undefined);
      // That every text is refused is the fault of the request, and not of the texts.
      if (vectors.every(({ length }) => length === 0)) throw new WriterFailed('The model refused every text', 'http_4xx');
      return vectors.map(unitVector);
    } catch (error) {
      if (!(error instanceof WriterFailed)) throw error;
      this.#note(error);
      return null;
    }
  }

  /** The vectors of texts, with an empty one for each that the model refuses by itself. */
  async #embedEach(accountId: string, texts: readonly string[], limit?: number): Promise<Float32Array[]> {
    const client = await this.#client.get();
    try {
      return await client.embed(accountId, this.model, texts, limit);
    } catch (error) {
      if (!(error instanceof TextRefused)) throw error;
      if (texts.length === 1) return [new Float32Array()];
      const middle = Math.ceil(texts.length / 2);
      const first = await this.#embedEach(accountId, texts.slice(0, middle), limit);
      return [...first, ...(await this.#embedEach(accountId, texts.slice(middle), limit))];
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #note(error: WriterFailed): void {
    if (error instanceof WriterStopped || performance.now() - this.#notedAt < quietTime) return;
    this.#notedAt = performance.now();
    this.#onError(new Warning(`FAQs are found by their words alone, because ${this.model} has no vectors: ${error.message}`));
  }
}

/** A vector of the same direction with the length 1. */
function unitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
