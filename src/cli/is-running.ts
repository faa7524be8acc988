/** Whether a process exists on this machine. */
export function isRunning(pid: number): boolean {
  // 0 and negative numbers would mean groups of processes.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
