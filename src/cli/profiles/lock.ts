import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import type { World } from '../world.ts';

/** The age in milliseconds from which a lock counts as abandoned by a process that was killed. */
const staleAfter = 5_000;

/** How long a command waits for the lock while others take it one after the other, in milliseconds. */
const patience = 10_000;

const pause = 5;

/**
 * Does something while no other process does it.
 * @param path where the lock is created
 * @throws Error when the lock cannot be acquired, and whatever `work` throws
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
 * Acquires a lock, which is a folder, and waits while another process holds it.
 * @throws Error when it stays held, or when something else is in its place
 */
async function acquire(path: string, sleep: World['sleep']): Promise<void> {
  for (let waited = 0; waited <= patience; waited += pause) {
    try {
      mkdirSync(path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = lstatSync(path, { throwIfNoEntry: false });
    if (held && !held.isDirectory()) throw new Error(`${path} is in the place of the lock: remove it`);
    // A time in the future means that the system clock was changed: such a lock is abandoned too.
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
    // Another process took it for abandoned.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
