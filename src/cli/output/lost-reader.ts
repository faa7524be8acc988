/** Whether a write failed because the reader has closed the pipe. Windows has a code of its own for it. */
export function isLostReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EOF';
}
