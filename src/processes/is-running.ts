import { processStat } from './process-stat.ts';

/** Whether a process runs on this machine. */
export function isRunning(pid: number): boolean {
  // 0 and negative numbers refer to process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    // In a container, the parent of an ended process can take no notice for ever.
    return processStat(pid)?.state !== 'Z';
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
