import type { Action, KindName, Rows, Undo } from '../kind.ts';
import type { Fields } from '../values.ts';

/** One change of an account. */
export interface Change {
  /** From 1, in the order in which changes are made. */
  readonly number: number;
  readonly kind: KindName;
  /** The name of the record, as people read it. */
  readonly key: string;
  readonly action: Action;
  /** The numbers of the changes that must be made first. */
  readonly needs: readonly number[];
  /** The changed fields as they are; all of them of a record that is deleted; null for a new one. */
  readonly before: Fields | null;
  /** The changed fields as they will be; all that the files have of a new record; null for a deleted one. */
  readonly after: Fields | null;
  readonly undo: Undo;
  /** The id of the live record; null for a new one. */
  readonly id: string | null;
  /** Its key after the change; of a deletion, the key that it had. */
  readonly name: Fields;
}

/** A record that is not changed, and why. */
export interface Blocked {
  readonly kind: KindName;
  readonly key: string;
  readonly reason: string;
}

/** Who answers on a channel, before and after. */
export interface Answerer {
  readonly channel: string;
  /** Null for the whole channel. */
  readonly number: string | null;
  /** The name of the agent; null for nobody. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What has to be done so that an account is what the files say. */
export interface Plan {
  readonly version: 1;
  /** The id of the account. */
  readonly account: string;
  readonly changes: readonly Change[];
  /** What is live and not in the files. */
  readonly kept: readonly { readonly kind: KindName; readonly key: string }[];
  /** What is ambiguous, in conflict or not possible, with what depends on it. */
  readonly blocked: readonly Blocked[];
  /** The channels on which somebody else answers afterwards. */
  readonly answers: readonly Answerer[];
  readonly notes: readonly string[];
  /** How many records are deleted, and why that needs an allowance; no reasons when it needs none. */
  readonly deletions: { readonly count: number; readonly reasons: readonly string[] };
  /** The key of the digests of secrets. */
  readonly salt: string;
  /**
   * The ids of the live rules, where rules are made. Rules have no names: one of equal content that is not among these was
   * made since, by an earlier apply of the plan.
   */
  readonly rules: readonly string[];
}

/** The ids of the live rules for a plan, which has them where it makes rules. @param rows the live rows */
export function knownRules(changes: readonly Pick<Change, 'kind' | 'action'>[], rows: Rows): string[] {
  const makesRules = changes.some(({ kind, action }) => kind === 'rules' && action === 'create');
  return makesRules ? (rows.get('rules') ?? []).map((row) => row.id as string) : [];
}

/** Whether a plan says that nothing has to be done. */
export function isEmpty({ changes }: Plan): boolean {
  return changes.length === 0;
}
