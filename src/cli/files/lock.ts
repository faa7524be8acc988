import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { isRunning } from '../../processes/is-running.ts';
import { startOf } from '../../processes/start-of.ts';
import type { World } from '../world.ts';
import { createOwnerOnly } from './owner-only.ts';

/** The locks that this process holds. */
const held = new Set<string>();

/**
 * Acquires a lock. A lock of a process that has ended is taken over.
 * @returns false if a running process, possibly this one, holds it
 */
export function takeLock(file: string): boolean {
  const holder = holderOf(file);
  const isTaken = holder === null ? create(file) : isOver(holder, file) && takeOver(file);
  if (isTaken) held.add(file);
  return isTaken;
}

/** Releases a lock. */
export function releaseLock(file: string): void {
  rmSync(file, { force: true });
  held.delete(file);
}

/**
 * Calls `work` while this process holds all of the locks.
 * @param busyError makes the error for a lock that a running process holds
 * @throws that error, without calling `work`; and the errors of `work`
 */
export async function withLocks<Value>(
  files: readonly string[],
  busyError: (file: string) => Error,
  work: () => Promise<Value>,
): Promise<Value> {
  const taken: string[] = [];
  try {
    for (const file of files) {
      if (!takeLock(file)) throw busyError(file);
      taken.push(file);
    }
    return await work();
  } finally {
    for (const file of taken) releaseLock(file);
  }
}

/** How long to wait for a lock, in milliseconds. */
const lockTimeout = 10_000;

const pause = 5;

/**
 * Calls `work` while this process holds the lock. Waits while another process holds it.
 * @param busyError makes the error for a lock that is not released in time
 * @throws that error, without calling `work`; and the errors of `work`
 */
export async function whenUnlocked(file: string, sleep: World['sleep'], busyError: () => Error, work: () => void): Promise<void> {
  for (let waited = 0; !takeLock(file); waited += pause) {
    if (waited >= lockTimeout) throw busyError();
    await sleep(pause);
  }
  try {
    work();
  } finally {
    releaseLock(file);
  }
}

/**
 * Takes over the lock of a process that has ended. A second lock ensures that only one process does so at a time; otherwise,
 * one could remove the new lock of another.
 */
function takeOver(file: string): boolean {
  const turn = `${file}.takeover`;
  if (!takeLock(turn)) return false;
  try {
    // Checked again, because another process may have taken the lock over in the meantime. If the lock is gone, any process can
    // acquire it at any time.
    const holder = holderOf(file);
    if (holder !== null && isOver(holder, file)) rmSync(file);
    return create(file);
  } finally {
    releaseLock(turn);
  }
}

/** Creates the file of a lock that this process holds. @returns false if it exists */
function create(file: string): boolean {
  return createOwnerOnly(file, [process.pid, startOf(process.pid)].join(' ').trim());
}

/** The process in a lock. */
interface Holder {
  readonly pid: number;
  /** Tells it from later processes with the same id; undefined if it is unknown. */
  readonly start: string | undefined;
}

/** Whether the holder of a lock has ended. Another process can have its id now, also this one: containers reuse ids. */
function isOver({ pid, start }: Holder, file: string): boolean {
  if (pid === process.pid) return !held.has(file);
  return !isRunning(pid) || (start !== undefined && start !== (startOf(pid) ?? start));
}

/** The holder of a lock; null if there is no lock or it cannot be read. */
function holderOf(file: string): Holder | null {
  try {
    // Reading a pipe would block.
    if (!lstatSync(file).isFile()) return null;
    const [pid, start] = readFileSync(file, 'utf8').split(' ');
    return { pid: Number(pid), start };
  } catch {
    return null;
  }
}
