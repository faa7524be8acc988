// The thread that moves the write-ahead log of an embedded store into its database.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The maximum wait for transactions and reads to end, in milliseconds. Nobody else writes while reads are waited for. */
const lockWait = 100;

const database = new DatabaseSync(workerData as string, { timeout: lockWait });

parentPort?.on('message', () => {
  // Most of the log is moved while others write.
  database.exec('pragma wal_checkpoint(passive)');
  // What they added is moved while they wait. Then the log begins again, else it would grow for as long as they write.
  database.exec('pragma wal_checkpoint(restart)');
  parentPort?.postMessage('moved');
});
