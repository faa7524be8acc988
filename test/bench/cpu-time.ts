import { existsSync, readFileSync } from 'node:fs';

/** The processor time that processes used, with that of their children that ended, in ticks of the system's clock. */
export function cpuTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0);
}

function ticksOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  // The time of a process that has ended meanwhile is in that of its parent.
  if (!existsSync(file)) return 0;
  // The second field is the name in parentheses, which may contain spaces.
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime, stime, cutime and cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
