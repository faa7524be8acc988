import { readFileSync } from 'node:fs';

/** Whether a process runs on this machine. */
export function isRunning(pid: number): boolean {
  // 0 and negative numbers refer to process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process has ended, and only its parent has not taken notice: in a container, that can last for ever. Known on Linux. */
function isZombie(pid: number): boolean {
  try {
    // The state follows the name of the program, which is in parentheses.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
