import type { ModelClient } from './model-client.ts';
import type { ModelSettings } from './model-settings.ts';
import { WriterStopped } from './writer.ts';

/** The client of a model, which is loaded with the first call, because most commands do not call a model. */
export class LazyModelClient {
  readonly #settings: ModelSettings;
  #client: Promise<ModelClient> | undefined;
  #isClosed = false;
  #opened: ModelClient | undefined;

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  /** @throws WriterStopped after it was closed */
  async get(): Promise<ModelClient> {
    if (this.#isClosed) throw new WriterStopped();
    return await (this.#client ??= import('./model-client.ts').then(({ ModelClient }) => (this.#opened = new ModelClient(this.#settings))));
  }

  /** How many connections are in use. */
  get connections(): number {
    return this.#opened?.connections ?? 0;
  }

  /** Aborts the calls in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#client)?.close();
  }
}
