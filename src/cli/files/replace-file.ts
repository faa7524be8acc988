import { renameSync } from 'node:fs';

/** How long a file that is in use is waited for, and the interval between tries, in milliseconds. */
const longest = 2_000;
const pause = 50;

/**
 * Moves a file into the place of another. Windows refuses that while somebody has the other one open, such as a virus scanner or a
 * reader of the profiles, for a moment.
 * @throws Error if that fails; both files are then as before
 */
export function replaceFile(from: string, to: string): void {
  for (let waited = 0; ; waited += pause) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (process.platform !== 'win32' || waited >= longest || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
  }
}
