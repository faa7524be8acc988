import { join } from 'node:path';
import type { World } from '../world.ts';

/** The folder of the user's profiles. */
export function configDirectory({ env, homeDirectory, platform }: World): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'msgctl');
  if (platform === 'win32') return join(env.APPDATA ?? join(homeDirectory, 'AppData', 'Roaming'), 'msgctl');
  return join(homeDirectory, '.config', 'msgctl');
}

/** The default folder of the embedded store. */
export function dataDirectory(world: World): string {
  return world.env.MSGCTL_DATA_DIR ? world.env.MSGCTL_DATA_DIR : platformDataDirectory(world);
}

/** The platform's folder for application data. It contains the journals of applies, regardless of which store is used. */
export function platformDataDirectory({ env, homeDirectory, platform }: World): string {
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, 'msgctl');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homeDirectory, 'AppData', 'Local'), 'msgctl');
  if (platform === 'darwin') return join(homeDirectory, 'Library', 'Application Support', 'msgctl');
  return join(homeDirectory, '.local', 'share', 'msgctl');
}

/** The folder for state that commands keep between runs, such as the journals of batches. */
export function stateDirectory({ env, homeDirectory, platform }: World): string {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'msgctl');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homeDirectory, 'AppData', 'Local'), 'msgctl', 'state');
  return join(homeDirectory, '.local', 'state', 'msgctl');
}
