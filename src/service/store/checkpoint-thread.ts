// The thread that checkpoints the write-ahead log (WAL) of an embedded store.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../flow/answer-questions.ts';

/** The maximum wait for transactions and reads to end, in milliseconds. While waiting for reads, writes are blocked. */
const lockWait = 100;

/**
 * The result that the thread reports: the number of WAL pages that could not be checkpointed, because a read still needs them.
 */
export type PagesLeft = number;

/** The result of a checkpoint, in pages of the WAL. */
interface Checkpointed {
  readonly log: number;
  readonly checkpointed: number;
}

// `mode=rw` prevents recreating a file that was deleted in the meantime.
const file = pathToFileURL(workerData as string);
file.searchParams.set('mode', 'rw');
const database = new DatabaseSync(file, { timeout: lockWait });

const checkpoint = (mode: 'passive' | 'restart') => database.prepare(`pragma wal_checkpoint(${mode})`).get() as unknown as Checkpointed;

answerQuestions((): PagesLeft => {
  // A passive checkpoint copies most of the WAL without blocking writes. Pages that a long read needs cannot be checkpointed.
  let result = checkpoint('passive');
  // A restart checkpoint copies what was added in the meantime while writes wait. It also restarts the WAL, which would otherwise
  // grow for as long as there are writes.
  if (result.checkpointed >= result.log) result = checkpoint('restart');
  return result.log - result.checkpointed;
});
