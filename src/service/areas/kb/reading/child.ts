// The process that reads documents. What it reads is hostile: the service ends the process when it takes too long, and
// the process ends itself when it needs too much memory.
import { Worker } from 'node:worker_threads';
import { perform, type ReadResult, type ReadTask } from './read.ts';
import { Unreadable } from './document.ts';

/** How much memory a document may take, in bytes. */
const memoryLimit = 768 * 1024 * 1024;

// A thread of its own: the main thread may be in a loop that never ends. The parent can die meanwhile.
const guard = `
const parent = process.ppid;
setInterval(() => {
  if (process.memoryUsage.rss() > ${memoryLimit} || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 50);`;
new Worker(guard, { eval: true }).unref();

process.on('message', (task: ReadTask) => {
  void answer(task).then((result) => process.send?.(result));
});
// Without the channel, nothing keeps the process alive but what it reads.
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
