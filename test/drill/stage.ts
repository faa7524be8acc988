import type { Random } from '../../src/service/areas/sandbox/history/random.ts';

/** Something that goes wrong during a drill. It resolves when what it broke runs again. */
export interface Disturbance {
  readonly name: string;
  readonly act: () => Promise<void>;
}

/** The store that the servers of a drill share, and what can happen to it. */
export interface Stage {
  /** The options of `serve` that name the store. */
  readonly options: readonly string[];
  readonly disturbances: readonly Disturbance[];
  /** Reads the store directly: the ledger has no endpoint. */
  readonly query: (statement: string) => Promise<Record<string, unknown>[]>;
  readonly remove: () => Promise<void>;
}

/** Prepares a stage in a folder. */
export type OpenStage = (random: Random, folder: string) => Promise<Stage>;
