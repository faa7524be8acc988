import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import type { World } from '../world.ts';

/** The age after which a lock counts as abandoned by a killed process, in milliseconds. */
const staleAfter = 5_000;

/** Timeout for acquiring the lock, in milliseconds. */
const lockTimeout = 10_000;

const pause = 5;

/**
 * Calls `work` while no other process can do the same.
 * @param path where to create the lock
 * @throws Error if the lock cannot be acquired, and the errors of `work`
 */
export async function withLock(path: string, sleep: World['sleep'], work: () => void): Promise<void> {
  await acquire(path, sleep);
  try {
    work();
  } finally {
    release(path);
  }
}

/**
 * Acquires a lock, which is a folder. Waits while another process holds it.
 * @throws Error on timeout, or if something else exists at the path
 */
async function acquire(path: string, sleep: World['sleep']): Promise<void> {
  for (let waited = 0; waited <= lockTimeout; waited += pause) {
    try {
      mkdirSync(path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = lstatSync(path, { throwIfNoEntry: false });
    if (held && !held.isDirectory()) throw new Error(`${path} is in the place of the lock: remove it`);
    // If the time is in the future, the system clock was changed. Such a lock counts as abandoned too.
    const age = held ? Math.abs(new Date().getTime() - held.mtimeMs) : 0;
    if (age > staleAfter) release(path);
    else await sleep(pause);
  }
  throw new Error(`other commands hold the lock ${path}: try again`);
}

function release(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    // Another process considered the lock abandoned and removed it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
