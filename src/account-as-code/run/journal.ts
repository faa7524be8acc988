import { describeWriteError } from '../../contract/file-errors.ts';
import type { Action, KindName } from '../kind.ts';
import type { Referrer } from '../referrers.ts';
import type { Fields } from '../values.ts';

/** The first entry of a run on one account. */
export interface RunHead {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly account: string;
  /** The id of the run that this one undoes; null for an apply. */
  readonly undoes: string | null;
  /** The ids of the rules by precedence before the run, the winning one first. */
  readonly rules: readonly string[];
}

/** An entry that is written before a change is made. */
export interface Intent {
  readonly number: number;
  readonly at: string;
  readonly kind: KindName;
  readonly key: string;
  readonly name: Fields;
  readonly action: Action;
  readonly id: string | null;
  /** All fields of the record before the change; null if it is created. */
  readonly fieldsBefore: Fields | null;
  /** The fields to be written, with references instead of secrets. */
  readonly after: Fields | null;
  /** The contacts of a deleted tag or list. */
  readonly members?: readonly string[] | undefined;
  /** The records that refer to a deleted one. */
  readonly referrers?: readonly Referrer[] | undefined;
  /** From what the idempotency keys of its requests are made. Journals of earlier versions lack it. */
  readonly seed?: string;
  /** The ids of the other records that had the name of a renamed one. Journals of earlier versions lack it. */
  readonly twins?: readonly string[] | undefined;
}

/** What the journal knows about a record and its live fields do not show, by the number of the change that restores it. */
export type Kept = ReadonlyMap<number, Pick<Intent, 'members' | 'twins'>>;

/** The result of a change. */
export interface Outcome {
  readonly number: number;
  /**
   * `failed` if the service rejected it, so that nothing was changed. `made` if the record was created but not yet completed or
   * read again; another outcome follows unless that fails.
   */
  readonly result: 'done' | 'made' | 'failed';
  readonly id: string | null;
  /** All fields of the record after the change; null if it is deleted or the fields are not known. */
  readonly fieldsAfter: Fields | null;
}

/** A run in the journal. */
export interface Run extends RunHead {
  readonly intents: readonly Intent[];
  /** The last outcome of each change, by its number. */
  readonly outcomes: ReadonlyMap<number, Outcome>;
  /** The number of changes that were not made; null if the run was interrupted. */
  readonly open: number | null;
  /** The number of writes that failed; null if the run was interrupted. */
  readonly failed: number | null;
}

/** Where a run is recorded. An entry is kept safely once its method returns. All methods throw a JournalError if that fails. */
export interface Journal {
  /** Records changes before they are made. */
  intend(intents: readonly Intent[]): void;
  /** Records the outcomes of changes. */
  settle(outcomes: readonly Outcome[]): void;
  /**
   * Records the end of the run. A run without it counts as interrupted.
   * @param open number of changes that were not made
   * @param failed number of those whose write failed
   */
  end(open: number, failed: number): void;
}

/** Thrown when a journal cannot be written, which ends the run. */
export class JournalError extends Error {
  constructor(path: string, cause: unknown) {
    super(`Cannot write the journal ${path}: ${describeWriteError(cause)}`);
    this.name = 'JournalError';
  }
}
