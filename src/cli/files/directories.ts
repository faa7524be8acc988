import { isAbsolute, join } from 'node:path';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { World } from '../world.ts';

// The home is looked up only when a folder in it is needed: in a container, a user may have none.

/** The folder of the user's profiles. @throws CliError 1 if there is no home for it */
export function configDirectory(world: World): string {
  const { env, platform } = world;
  if (isGiven(env.XDG_CONFIG_HOME)) return join(env.XDG_CONFIG_HOME, 'msgctl');
  const variables = 'XDG_CONFIG_HOME; with MSGCTL_BASE_URL and MSGCTL_API_KEY, no profile is needed';
  if (platform === 'win32') return join(env.APPDATA ?? inHome(world, ['AppData', 'Roaming'], variables), 'msgctl');
  return inHome(world, ['.config', 'msgctl'], variables);
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

function folderOfData(world: World, variable: string): string {
  const { env, platform } = world;
  if (isGiven(env.XDG_DATA_HOME)) return join(env.XDG_DATA_HOME, 'msgctl');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? inHome(world, ['AppData', 'Local'], variable), 'msgctl');
  if (platform === 'darwin') return inHome(world, ['Library', 'Application Support', 'msgctl'], variable);
  return inHome(world, ['.local', 'share', 'msgctl'], variable);
}

/** The folder for state that commands keep between runs, such as the journals of batches. @throws CliError 1 if there is no home for it */
export function stateDirectory(world: World): string {
  const { env, platform } = world;
  if (isGiven(env.XDG_STATE_HOME)) return join(env.XDG_STATE_HOME, 'msgctl');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? inHome(world, ['AppData', 'Local'], 'XDG_STATE_HOME'), 'msgctl', 'state');
  return inHome(world, ['.local', 'state', 'msgctl'], 'XDG_STATE_HOME');
}

/** Whether a variable names a folder. The XDG specification says to ignore relative paths. */
function isGiven(path: string | undefined): path is string {
  return path !== undefined && isAbsolute(path);
}

/** A folder in the user's home. @param alternative what can be set instead, for the hint */
function inHome({ homeDirectory }: World, path: readonly string[], alternative: string): string {
  if (isGiven(homeDirectory)) return join(homeDirectory, ...path);
  throw new CliError(exitCodes.failed, 'home', 'This user has no home directory', {
    hint: `Set HOME to the absolute path of a folder that can be written, or ${alternative}.`,
  });
}
