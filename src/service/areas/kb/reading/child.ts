// The process that reads documents. Documents are untrusted: the service kills the process when it takes too long, and the
// process kills itself when it uses too much memory.
import { Worker } from 'node:worker_threads';
import { perform, type ReadResult, type ReadTask } from './read.ts';
import { Unreadable } from './document.ts';

/** The memory limit for reading a document, in bytes. */
const memoryLimit = 768 * 1024 * 1024;

// Runs in its own thread, because the main thread may be in an endless loop. Also ends the process if the parent has died.
const guard = `
const parent = process.ppid;
setInterval(() => {
  if (process.memoryUsage.rss() > ${memoryLimit} || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 50);`;
new Worker(guard, { eval: true }).unref();

process.on('message', (task: ReadTask) => {
  void answer(task).then((result) => process.send?.(result));
});
// Once the channel is closed, only a document in progress could keep the process alive.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function answer(task: ReadTask): Promise<ReadResult> {
  try {
    return await perform(task);
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    if (error instanceof RangeError) return { problem: 'It is nested too deeply to be read' };
    return { problem: 'It is damaged, or not of the format that its name says' };
  }
}
