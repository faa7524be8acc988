// The thread that moves the write-ahead log of an embedded store into its database.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** The maximum wait for transactions and reads to end, in milliseconds. Nobody else writes while reads are waited for. */
const lockWait = 100;

/** What a move says of the log, in pages. */
interface Moved {
  readonly log: number;
  readonly checkpointed: number;
}

// A file that was deleted meanwhile is not created again.
const file = pathToFileURL(workerData as string);
file.searchParams.set('mode', 'rw');
const database = new DatabaseSync(file, { timeout: lockWait });

parentPort?.on('message', () => {
  // Most of the log is moved while others write. A long read keeps what it needs of the log from being moved.
  const { log, checkpointed } = database.prepare('pragma wal_checkpoint(passive)').get() as unknown as Moved;
  // What was added meanwhile is moved while others wait. Then the log begins again, else it would grow for as long as they write.
  if (checkpointed >= log) database.exec('pragma wal_checkpoint(restart)');
  parentPort?.postMessage('moved');
});
