import type { JobKind } from '../../contract/job-kinds.ts';
import type { Parts } from '../parts.ts';
import type { Db } from '../store/database.ts';

/**
 * The kinds of jobs with their payloads. Areas add their own: `declare module '…/jobs/job.ts' { interface JobPayloads {
 * session_end: { session: string } } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- declarations elsewhere fill it
export interface JobPayloads {}

/** The kinds of jobs that the service implements. Each must be in `jobKinds` of the contract, so that the sandbox can hold it. */
export type RunnableKind = Known<keyof JobPayloads>;

type Known<Name extends JobKind> = Name;

/** A running job. */
export interface Job<K extends RunnableKind = RunnableKind> {
  readonly id: string;
  readonly kind: K;
  /** The account of the job. The job is deleted along with the account. */
  readonly accountId: string | null;
  readonly payload: JobPayloads[K];
  /** By the service's clock, in epoch milliseconds. */
  readonly dueAt: number;
  /** 1 on the first attempt. */
  readonly attempt: number;
}

/**
 * Ends a job in the transaction that removes it from the queue, so that either both take effect or neither.
 * @param now by the service's clock, in epoch milliseconds
 */
export type Finish = (db: Db, now: number) => Promise<void>;

/** Ends several jobs of one kind in a batch, so that many jobs need few statements. */
export interface SharedFinish {
  /** The result of this job's run. */
  readonly result: unknown;
  /** Ends the jobs with these results, in the order in which they ended. Must be the same function for all jobs of a batch. */
  readonly finishAll: (db: Db, results: readonly unknown[], now: number) => Promise<void>;
  /** The accounts whose records it changes beside the job's own. */
  readonly accounts: readonly string[];
}

/** Creates an end of a job that is shared with others of its kind. */
export function sharedFinish<Result>(
  finishAll: (db: Db, results: readonly Result[], now: number) => Promise<void>,
  result: Result,
  accounts: readonly string[] = [],
): SharedFinish {
  return { result, finishAll: finishAll as SharedFinish['finishAll'], accounts };
}

/** The fields of jobs that an advance of the clock tells, for the kinds that have them (see `JobDefinition.told`). */
export interface ToldFields {
  readonly message_id?: string | null;
  readonly public_reply?: string | null;
}

/** Defines how the jobs of one kind run. */
export interface JobDefinition<K extends RunnableKind = RunnableKind> {
  /** Whether the end of a job writes hundreds of records. Such an end does not share its transaction with others. */
  readonly isLarge?: (job: Job<K>) => boolean;
  /**
   * False when its end need not be durable immediately: after a crash of the machine, the job runs again with the same effect.
   */
  readonly isDurable?: boolean;
  /** Does the work outside of a transaction. It may run again after a crash, so it must be idempotent. */
  readonly run: (job: Job<K>, parts: Parts) => Promise<Finish | SharedFinish | undefined>;
  /** What an advance of the clock tells of a job that ran, beside its kind, id and time. */
  readonly told?: (job: Job<K>, parts: Parts) => Promise<ToldFields>;
  /** Called once the end of a job is committed. */
  readonly ended?: (job: Job<K>, parts: Parts) => void;
  /** Returns the changes that giving up a job makes, in the transaction that marks it. */
  readonly giveUp?: (job: Job<K>) => Finish;
}

/** The definitions of all kinds of jobs. A missing kind is a type error. */
export type JobDefinitions = { readonly [K in RunnableKind]: JobDefinition<K> };
