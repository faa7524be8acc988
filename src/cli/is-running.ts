/** Whether a process exists on this machine. */
export function isRunning(pid: number): boolean {
  // 0 and negative numbers refer to process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
