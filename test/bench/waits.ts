import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/**
 * Measures how long reads of a URL take while some work is running, and for `after` milliseconds longer.
 * @returns the 99th percentile, in milliseconds
 */
export async function waitBeside(url: string, key: string, work: () => Promise<unknown>, after = 0): Promise<number> {
  const probe = new Worker(new URL('probe.ts', import.meta.url), { workerData: { url, key } });
  await once(probe, 'message');
  try {
    await work();
    await sleep(after);
  } catch (error) {
    // Its reads would fail when the server ends, and hide this error.
    await probe.terminate();
    throw error;
  }
  probe.postMessage('stop');
  const [times] = (await once(probe, 'message')) as [number[]];
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
}
