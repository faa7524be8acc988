import { parentPort, workerData } from 'node:worker_threads';
import type { Db } from './database.ts';
import { connect } from './sqlite-connection.ts';
import { StepScheduler } from './step-scheduler.ts';

/** Runs read-only queries in one snapshot, as a step of long work. */
export type ReadStep = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

/** One of `count` equal parts of a task. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

/** A task for a thread. */
export interface ReadTask {
  readonly id: number;
  readonly input: unknown;
  readonly part: Part;
}

/** What a thread reports: the answer, or what went wrong. */
export type ReadResult = { readonly id: number } & ({ readonly answer: unknown } | { readonly problem: string });

/** Answers the tasks of a thread that `ReadThreads` has started. Tasks take turns, a step each. */
export function answerTasks(answer: (readStep: ReadStep, input: unknown, part: Part) => Promise<unknown>): void {
  const { database, db } = connect(workerData as string);
  database.exec('pragma query_only = on');
  const scheduler = new StepScheduler();
  const readStep: ReadStep = (work) =>
    scheduler.run(async () => {
      database.exec('begin');
      try {
        return await work(db);
      } finally {
        database.exec('commit');
      }
    });
  const resultOf = async ({ id, input, part }: ReadTask): Promise<ReadResult> => {
    try {
      return { id, answer: await answer(readStep, input, part) };
    } catch (error) {
      return { id, problem: (error as Error).message };
    }
  };
  parentPort?.on('message', (task: ReadTask) => void resultOf(task).then((result) => parentPort?.postMessage(result)));
}
