import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is so, in real time, also while a test drives its timers. It has no limit: that of the test tells. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}
