import { readFileSync, rmSync } from 'node:fs';
import { isRunning } from '../is-running.ts';
import { createOwnerOnly } from './owner-only.ts';

/** The locks that this process holds. */
const held = new Set<string>();

/** Takes a lock, also that of a process which has ended. @returns false when a running process, such as this one, holds it */
export function takeLock(file: string): boolean {
  const isTaken = createOwnerOnly(file, String(process.pid)) || takeOver(file);
  if (isTaken) held.add(file);
  return isTaken;
}

/** Lets others take a lock. */
export function releaseLock(file: string): void {
  rmSync(file, { force: true });
  held.delete(file);
}

/** Takes the lock of a process that has ended. One process at a time does so, or the second would remove the new lock of the first. */
function takeOver(file: string): boolean {
  const known = holderOf(file);
  if (known !== null && !isOver(known, file)) return false;
  const turn = `${file}.takeover`;
  if (!takeLock(turn)) return false;
  try {
    // Another process may have taken it meanwhile. One that is gone may be taken by anybody at any time.
    const holder = holderOf(file);
    if (holder !== null && isOver(holder, file)) rmSync(file);
    return createOwnerOnly(file, String(process.pid));
  } finally {
    releaseLock(turn);
  }
}

/** Whether the holder of a lock has ended. The id of this process can be that of an earlier one: containers use ids again. */
function isOver(pid: number, file: string): boolean {
  return pid === process.pid ? !held.has(file) : !isRunning(pid);
}

/** The id of the process that holds a lock; null when the lock is gone, or cannot be read. */
function holderOf(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
