import { readFileSync, rmSync } from 'node:fs';
import { isRunning } from '../../processes/is-running.ts';
import { createOwnerOnly } from './owner-only.ts';

/** The locks that this process holds. */
const held = new Set<string>();

/**
 * Acquires a lock. A lock of a process that has ended is taken over.
 * @returns false if a running process, possibly this one, holds it
 */
export function takeLock(file: string): boolean {
  const isTaken = createOwnerOnly(file, String(process.pid)) || takeOver(file);
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

/**
 * Takes over the lock of a process that has ended. A second lock ensures that only one process does so at a time; otherwise,
 * one could remove the new lock of another.
 */
function takeOver(file: string): boolean {
  const known = holderOf(file);
  if (known !== null && !isOver(known, file)) return false;
  const turn = `${file}.takeover`;
  if (!takeLock(turn)) return false;
  try {
    // Checked again, because another process may have taken the lock over in the meantime. If the lock is gone, any process can
    // acquire it at any time.
    const holder = holderOf(file);
    if (holder !== null && isOver(holder, file)) rmSync(file);
    return createOwnerOnly(file, String(process.pid));
  } finally {
    releaseLock(turn);
  }
}

/** Whether the holder of a lock has ended. Its process id can equal the one of this process: containers reuse ids. */
function isOver(pid: number, file: string): boolean {
  return pid === process.pid ? !held.has(file) : !isRunning(pid);
}

/** The process id of the holder of a lock; null if there is no lock or it cannot be read. */
function holderOf(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
