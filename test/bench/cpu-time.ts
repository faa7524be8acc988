import { readFileSync } from 'node:fs';

/** The processor time that processes used, with that of their children that ended, in ticks of the system's clock. */
export function cpuTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0);
}

function ticksOf(pid: number): number {
  // The second field is the name in parentheses, which may contain spaces.
  const fields = readStat(pid)?.split(') ')[1]?.split(' ') ?? [];
  // utime, stime, cutime and cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** The time of a process that has ended meanwhile is in that of its parent. */
function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
