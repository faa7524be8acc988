import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { request } from '../support/accounts.ts';

// A thread that posts a message when it is warm, reads an address at regular intervals until it gets a message, and then posts
// how long each read took, in milliseconds. In a thread of its own, it is not delayed by what is measured.

const interval = 4;

/** The first requests take longer: the client is loaded and compiled. */
const warmUp = 100;

const { url, key } = workerData as { readonly url: string; readonly key: string };
const times: number[] = [];
const running = new Set<Promise<void>>();
let isStopped = false;
parentPort?.once('message', () => (isStopped = true));
for (let count = 0; count < warmUp; count++) await request(url, key, 'GET');
parentPort?.postMessage('warm');
while (!isStopped) {
  const started = performance.now();
  const reading = request(url, key, 'GET').then(() => void times.push(performance.now() - started));
  running.add(reading);
  void reading.finally(() => running.delete(reading));
  await sleep(interval);
}
await Promise.all(running);
parentPort?.postMessage(times);
