import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';

/**
 * The folder for the temporary files of the tests: one in memory where there is enough of it, unless TMPDIR names another.
 * The tests kill processes and not the machine, so that waiting for a disk would prove nothing, and takes most of the time.
 */
export const temporaryFolder = process.env.TMPDIR === undefined && isFit(inMemory) ? inMemory : tmpdir();

/** Whether a folder has two gigabytes free, and programs can be run from it. */
function isFit(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === folder);
  return bavail * bsize >= 2 * 1024 ** 3 && !mount?.includes('noexec');
}
