import type { Random } from '../../src/service/areas/sandbox/history/random.ts';

/** A failure during a drill. It resolves when everything it broke is running again. */
export interface Disturbance {
  readonly name: string;
  readonly act: () => Promise<void>;
}

/** The store that the servers of a drill share, and the failures that can happen to it. */
export interface Stage {
  /** The `serve` options that name the store. */
  readonly options: readonly string[];
  readonly disturbances: readonly Disturbance[];
  /** Queries the store directly, because the ledger has no endpoint. */
  readonly query: (statement: string) => Promise<Record<string, unknown>[]>;
  readonly remove: () => Promise<void>;
}

/** Prepares a stage in a folder. */
export type OpenStage = (random: Random, folder: string) => Promise<Stage>;
