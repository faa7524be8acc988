import type { Embedder } from '../faqs/embedder.ts';
import type { LazyModelClient } from './lazy-model-client.ts';
import { Warning } from '../../errors.ts';
import { TextRefused, WriterFailed, WriterStopped } from './writer.ts';

/** How long a question waits for its vector, in real milliseconds. */
const questionLimit = 2_000;

/** A text that no model refuses. */
const harmless = 'Hello';

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
      return (await this.#vectorsOf(accountId, texts, isQuestion)).map(unitVector);
    } catch (error) {
      if (!(error instanceof WriterFailed)) throw error;
      this.#note(error);
      return null;
    }
  }

  /** The vectors of texts, with an empty one for each that the model refuses. A refused question is a failure. */
  async #vectorsOf(accountId: string, texts: readonly string[], isQuestion: boolean): Promise<Float32Array[]> {
    const client = await this.#client.get();
    try {
      return await client.embed(accountId, this.model, texts, isQuestion ? questionLimit : undefined);
    } catch (error) {
      if (isQuestion || !(error instanceof TextRefused)) throw error;
      // A wrong model or key is refused whatever the texts are.
      await client.embed(accountId, this.model, [harmless]);
      return await this.#withoutRefused(accountId, texts);
    }
  }

  /** The vectors of texts that the model refused together, with an empty one for each that it refuses by itself. */
  async #withoutRefused(accountId: string, texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 1) return [new Float32Array()];
    const client = await this.#client.get();
    const middle = Math.ceil(texts.length / 2);
    const vectors: Float32Array[] = [];
    for (const half of [texts.slice(0, middle), texts.slice(middle)])
      try {
        vectors.push(...(await client.embed(accountId, this.model, half)));
      } catch (error) {
        if (!(error instanceof TextRefused)) throw error;
        vectors.push(...(await this.#withoutRefused(accountId, half)));
      }
    return vectors;
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
