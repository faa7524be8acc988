import { readFileSync } from 'node:fs';
import { processStat } from './process-stat.ts';

/**
 * When a process started: the id of the machine's start and the clock ticks since then, which tell processes with the same id
 * apart. Undefined if it is unknown, as on other systems than Linux.
 */
export function startOf(pid: number): string | undefined {
  const stat = processStat(pid);
  const boot = bootId();
  return stat && boot && `${boot}/${stat.startTime}`;
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
