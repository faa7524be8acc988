import type { Decision } from '../../../contract/areas/routing/decide.ts';

/** A rule on the channel that did not determine the answer, and why. */
export interface Other {
  readonly entry_point_id: string;
  readonly reason: string;
}

/** Who would answer, and why nobody else would. */
export interface Explanation extends Decision {
  /** The name of the agent; null if nobody answers. */
  readonly agent: string | null;
  /** Why the agent would not respond anyway; null if it would. */
  readonly silent: string | null;
  readonly contact_id: string | null;
  readonly others: readonly Other[];
}
