// The thread that moves the write-ahead log of an embedded store into its database.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** The maximum wait for transactions and reads to end, in milliseconds. Nobody else writes while reads are waited for. */
const lockWait = 100;

/** What the thread answers: the pages of the log that it could not move, because a read still needs them. */
export type PagesLeft = number;

/** What a move says of the log, in pages. */
interface Moved {
  readonly log: number;
  readonly checkpointed: number;
}

// A file that was deleted meanwhile is not created again.
const file = pathToFileURL(workerData as string);
file.searchParams.set('mode', 'rw');
const database = new DatabaseSync(file, { timeout: lockWait });

const move = (mode: 'passive' | 'restart') => database.prepare(`pragma wal_checkpoint(${mode})`).get() as unknown as Moved;

parentPort?.on('message', () => {
  // Most of the log is moved while others write. A long read keeps what it needs of the log from being moved.
  let moved = move('passive');
  // What was added meanwhile is moved while others wait. Then the log begins again, else it would grow for as long as they write.
  if (moved.checkpointed >= moved.log) moved = move('restart');
  const left: PagesLeft = moved.log - moved.checkpointed;
  parentPort?.postMessage(left);
});
