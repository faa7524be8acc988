declare module '../../parts.ts' {
  interface Parts {
    /** Null when FAQs are found by their words alone. */
    readonly embedder: Embedder | null;
  }
}

/** Turns texts into vectors, which are near each other when the texts mean about the same. */
export interface Embedder {
  /** The name of the model. Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * The vectors of texts, of length 1. A text that the model refuses has an empty one.
   * @returns null when the model fails, which is noted in the log
   */
  embed(accountId: string, texts: readonly string[], options?: { readonly isQuestion?: boolean }): Promise<Float32Array[] | null>;
  /** Aborts the calls in progress. */
  close(): Promise<void>;
}
