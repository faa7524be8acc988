import { readFileSync } from 'node:fs';

/** The CPU time used by processes and their ended children, in ticks of the system clock. */
export function cpuTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0);
}

function ticksOf(pid: number): number {
  // The second field is the process name in parentheses, which can contain spaces.
  const fields = readStat(pid)?.split(') ')[1]?.split(' ') ?? [];
  // utime, stime, cutime and cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Undefined if the process has ended; its CPU time is then included in that of its parent. */
function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
