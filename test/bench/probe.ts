import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { request } from '../support/accounts.ts';

// A worker thread that posts a message once it is warmed up, reads a URL at regular intervals until it receives a message, and
// then posts the duration of each read in milliseconds. As a separate thread, it is not delayed by the work being measured.

const interval = 4;

/** Number of warm-up requests, which take longer because the client is loaded and compiled. */
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
