import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition is true, in real time even if the test uses fake timers. There is no timeout other than the test's. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}
