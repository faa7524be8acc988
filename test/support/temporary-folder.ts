import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';

/**
 * The folder for temporary files of tests: in memory if there is enough space, unless TMPDIR is set. Tests kill processes but
 * not the machine, so syncing to a disk would prove nothing, but take most of the time.
 */
export const temporaryFolder = process.env.TMPDIR === undefined && isFit(inMemory) ? inMemory : tmpdir();

/** Whether a folder has two gigabytes of free space, and programs can be executed in it. */
function isFit(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === folder);
  return bavail * bsize >= 2 * 1024 ** 3 && !mount?.includes('noexec');
}
