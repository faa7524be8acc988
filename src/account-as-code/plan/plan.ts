import { type Action, hasNames, type KindName, type Undo } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Fields } from '../values.ts';

/** A change to one record. */
export interface Change {
  /** The number of the change. Changes are made in this order, starting with 1. */
  readonly number: number;
  readonly kind: KindName;
  /** The name of the record for display. */
  readonly key: string;
  readonly action: Action;
  /** The numbers of the changes that must be made before this one. */
  readonly needs: readonly number[];
  /** The current values of the changed fields; all fields if the record is deleted; null if it is created. */
  readonly before: Fields | null;
  /** The new values of the changed fields; all fields in the files if the record is created; null if it is deleted. */
  readonly after: Fields | null;
  readonly undo: Undo;
  /** The id of the live record; null if it is created. */
  readonly id: string | null;
  /** The key of the record after the change; for a deletion, the key before it. */
  readonly name: Fields;
}

/** A record that cannot be changed, and the reason. */
export interface Blocked {
  readonly kind: KindName;
  readonly key: string;
  readonly reason: string;
}

/** The agent that answers on a channel, before and after the plan. */
export interface Answerer {
  readonly channel: string;
  /** Null for the default of the whole channel. */
  readonly number: string | null;
  /** The name of the agent; null if nobody answers. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The changes that make an account match the files. */
export interface Plan {
  readonly version: 1;
  /** The id of the account. */
  readonly account: string;
  readonly changes: readonly Change[];
  /** Live records that are not in the files and are not deleted. */
  readonly kept: readonly { readonly kind: KindName; readonly key: string }[];
  /** Records that are ambiguous, in conflict or cannot be changed, and those that depend on them. */
  readonly blocked: readonly Blocked[];
  /** The channels on which another agent answers after the plan. */
  readonly answers: readonly Answerer[];
  readonly notes: readonly string[];
  /** The number of deletions, and why they must be allowed explicitly; empty if they need not be. */
  readonly deletions: { readonly count: number; readonly reasons: readonly string[] };
  /**
   * If the plan creates rules, the ids of the live rules; for an undo, of those that were live before the run. Rules have no
   * names: an equal rule that is not in this list counts as the one that the plan creates.
   */
  readonly rules: readonly string[];
}

/** The ids of known rules if a plan creates rules, otherwise none. */
export function knownRules(changes: readonly Pick<Change, 'kind' | 'action'>[], ids: readonly string[]): readonly string[] {
  return changes.some(({ kind, action }) => !hasNames(kinds[kind]) && action === 'create') ? ids : [];
}

/** Whether a plan has no changes. */
export function isEmpty({ changes }: Plan): boolean {
  return changes.length === 0;
}
