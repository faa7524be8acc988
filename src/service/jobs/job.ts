import type { JobKind } from '../../contract/job-kinds.ts';
import type { Db } from '../store/database.ts';

/**
 * The kinds of jobs with their payloads. Each area adds its own:
 * `declare module '…/jobs/job.ts' { interface JobPayloads { session_end: { session: string } } }`.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declarations elsewhere fill it
export interface JobPayloads {}

/** The kinds of jobs that the service implements. Each must be in `jobKinds` of the contract, so that the sandbox can hold it. */
export type Kind = Known<keyof JobPayloads>;

type Known<Name extends JobKind> = Name;

/** A job that is being run. */
export interface Job<K extends Kind = Kind> {
  readonly id: string;
  readonly kind: K;
  /** The account that the job belongs to; it is deleted with the account. */
  readonly accountId: string | null;
  readonly payload: JobPayloads[K];
  /** By the service's clock, in epoch milliseconds. */
  readonly dueAt: number;
  /** 1 on the first attempt. */
  readonly attempt: number;
}

/**
 * Ends a job in the transaction that removes it from the queue, so that both happen or neither.
 * @param now by the service's clock, in epoch milliseconds
 */
export type Finish = (db: Db, now: number) => Promise<void>;

/** Ends several jobs of one kind together, so that many jobs cost few statements. */
export interface SharedFinish {
  /** The result of this job's run. */
  readonly result: unknown;
  /** Ends the jobs with these results, in the order in which they ended. It is the same function for all of them. */
  readonly finishAll: (db: Db, results: readonly unknown[], now: number) => Promise<void>;
}

/** Makes the end of a job that is shared with others of its kind. */
export function sharedFinish<Result>(
  finishAll: (db: Db, results: readonly Result[], now: number) => Promise<void>,
  result: Result,
): SharedFinish {
  return { result, finishAll: finishAll as SharedFinish['finishAll'] };
}

/** Defines how the jobs of one kind run. */
export interface JobDefinition<K extends Kind = Kind> {
  /** Whether the end of a job writes hundreds of records. It then does not share its transaction with others. */
  readonly isLarge?: (job: Job<K>) => boolean;
  /** False when its end need not wait for the disk: when the machine fails, the job runs again and does the same. */
  readonly isDurable?: boolean;
  /** Does the work outside of the transaction. It may run again after a crash, so it must be idempotent. */
  readonly run: (job: Job<K>) => Promise<Finish | SharedFinish | undefined>;
  /** Says what a job that is given up changes, in the transaction that marks it. */
  readonly giveUp?: (job: Job<K>) => Finish;
}

/** The definitions of all kinds of jobs. A missing kind is a type error. */
export type JobDefinitions = { readonly [K in Kind]: JobDefinition<K> };
