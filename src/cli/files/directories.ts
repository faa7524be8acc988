import { posix, win32 } from 'node:path';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { World } from '../world.ts';

// The home is looked up only when a folder in it is needed: in a container, a user may have none.

/** The folder of the user's profiles. @throws CliError 1 if there is no home for it */
export function configDirectory(world: World): string {
  const places = { variable: 'XDG_CONFIG_HOME', windows: ['APPDATA', 'AppData', 'Roaming'], home: ['.config'] } as const;
  return folderOf(world, places, 'XDG_CONFIG_HOME; with MSGCTL_BASE_URL and MSGCTL_API_KEY, no profile is needed');
}

/** The default folder of the embedded store. @throws CliError 1 if there is no home for it, 2 if `:memory:` is given */
export function dataDirectory(world: World): string {
  const given = world.env.MSGCTL_DATA_DIR;
  if (given === ':memory:')
    throw usageError('MSGCTL_DATA_DIR must be a folder', '`msgctl serve --data :memory:` keeps its store in memory.');
  return given || folderOfData(world, 'MSGCTL_DATA_DIR');
}

/**
 * The platform's folder for application data. It contains the journals of applies, regardless of which store is used.
 * @throws CliError 1 if there is no home for it
 */
export function platformDataDirectory(world: World): string {
  return folderOfData(world, 'XDG_DATA_HOME');
}

function folderOfData(world: World, alternative: string): string {
  const home = world.platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'share'];
  return folderOf(world, { variable: 'XDG_DATA_HOME', windows: ['LOCALAPPDATA', 'AppData', 'Local'], home }, alternative);
}

/** The folder for state that commands keep between runs, such as the journals of batches. @throws CliError 1 if there is no home for it */
export function stateDirectory(world: World): string {
  const places = { variable: 'XDG_STATE_HOME', windows: ['LOCALAPPDATA', 'AppData', 'Local'], home: ['.local', 'state'] } as const;
  const folder = folderOf(world, places, 'XDG_STATE_HOME');
  return world.platform === 'win32' && !isGiven(world, world.env.XDG_STATE_HOME) ? win32.join(folder, 'state') : folder;
}

/** Where a folder is, unless a variable says so. */
interface Places {
  readonly variable: string;
  /** The variable of Windows that says so, and the path in the home there. */
  readonly windows: readonly [variable: string, ...home: string[]];
  /** The path in the home on other systems. */
  readonly home: readonly string[];
}

/** @param alternative what can be set where there is no home, for the hint */
function folderOf(world: World, { variable, windows: [ofWindows, ...inWindows], home }: Places, alternative: string): string {
  const { env } = world;
  const isWindows = world.platform === 'win32';
  const given = [env[variable], isWindows ? env[ofWindows] : undefined].find((path) => isGiven(world, path));
  return pathOf(world).join(given ?? inHome(world, isWindows ? inWindows : home, alternative), 'msgctl');
}

function pathOf({ platform }: World): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** Whether a variable names a folder. The XDG specification says to ignore relative paths. */
function isGiven(world: World, path: string | undefined): path is string {
  return path !== undefined && pathOf(world).isAbsolute(path);
}

/** A folder in the user's home. @param alternative what can be set instead, for the hint */
function inHome(world: World, path: readonly string[], alternative: string): string {
  const { homeDirectory, platform } = world;
  if (isGiven(world, homeDirectory)) return pathOf(world).join(homeDirectory, ...path);
  throw new CliError(exitCodes.failed, 'home', 'This user has no home directory', {
    hint: `Set ${platform === 'win32' ? 'USERPROFILE' : 'HOME'} to the absolute path of a folder that can be written, or ${alternative}.`,
  });
}
