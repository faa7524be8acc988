import { readFileSync, rmSync } from 'node:fs';
import { isRunning } from '../is-running.ts';
import { createOwnerOnly } from './owner-only.ts';

/** Takes a lock for this process, also that of a process which has ended. @returns false when a running process holds it */
export function takeLock(file: string): boolean {
  return createOwnerOnly(file, String(process.pid)) || takeOver(file);
}

/** Lets other processes take a lock. */
export function releaseLock(file: string): void {
  rmSync(file, { force: true });
}

/** Takes the lock of a process that has ended. One process at a time does so, or the second would remove the new lock of the first. */
function takeOver(file: string): boolean {
  const known = holderOf(file);
  if (known !== null && !isOver(known)) return false;
  const turn = `${file}.takeover`;
  if (!takeLock(turn)) return false;
  try {
    // Another process may have taken it meanwhile. One that is gone may be taken by anybody at any time.
    const holder = holderOf(file);
    if (holder !== null && isOver(holder)) rmSync(file);
    return createOwnerOnly(file, String(process.pid));
  } finally {
    releaseLock(turn);
  }
}

/** Whether a process has ended. No process takes a lock twice, so the id of this one is of an earlier one: containers use it again. */
function isOver(pid: number): boolean {
  return pid === process.pid || !isRunning(pid);
}

/** The id of the process that holds a lock; null when the lock is gone, or cannot be read. */
function holderOf(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
