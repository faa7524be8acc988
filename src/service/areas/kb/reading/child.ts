// The process that reads documents. Documents are untrusted: the service kills the process when it takes too long, and the
// process kills itself when it uses too much memory.
import { flushCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { perform, type ReadResult, type ReadTask } from './read.ts';
import { Moved, Unreadable } from './document.ts';

/** The memory limit for reading a document, in bytes. */
const memoryLimit = 768 * 1024 * 1024;

// Requests go first where processors are scarce: the service is idle most of the time, and a document needs a processor for long.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// Runs in its own thread, because the main thread may be in an endless loop. Also ends the process if the parent has died.
const guard = `
const parent = process.ppid;
setInterval(() => {
  if (process.memoryUsage.rss() > ${memoryLimit} || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 50);`;
new Worker(guard, { eval: true }).unref();

/** The bytes that have arrived for the next task. */
let pieces: Uint8Array[] = [];

process.on('message', (message: Uint8Array | ReadTask) => {
  if (message instanceof Uint8Array) return void pieces.push(message);
  const bytes = Buffer.concat(pieces);
  pieces = [];
  // The process is killed when it is not needed any more, and then saves nothing.
  void answer(message, bytes).then((result) => process.send?.(result, () => flushCompileCache()));
});
// Once the channel is closed, only a document in progress could keep the process alive.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function answer(task: ReadTask, bytes: Buffer): Promise<ReadResult> {
  try {
    return { result: await perform(task, bytes) };
  } catch (error) {
    if (error instanceof Moved) return { movedTo: error.location };
    if (error instanceof Unreadable) return { problem: error.message, code: error.code };
    if (error instanceof RangeError) return { problem: 'It is nested too deeply to be read' };
    return { problem: 'It is damaged, or not of the format that its name says' };
  }
}
