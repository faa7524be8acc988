import { realpathSync } from 'node:fs';

/**
 * The path of a file that exists without symbolic links, with the names as they are on the disk: on Windows not the short ones, such as
 * `GIT~1` for `.git`, and where case does not matter, with the case of the disk.
 */
export const realPath = realpathSync.native;
