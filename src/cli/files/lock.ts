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

function takeOver(file: string): boolean {
  if (isRunning(holderOf(file))) return false;
  rmSync(file, { force: true });
  return createOwnerOnly(file, String(process.pid));
}

/** The id of the process that holds a lock; 0 when the lock is gone, or cannot be read. */
function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
