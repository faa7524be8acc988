import { InterfaceError } from '../../client/errors.ts';
import { getClock } from '../../contract/areas/sandbox/endpoints.ts';
import type { Session } from './noun.ts';

/** The present time of the service: that of the sandbox's clock, which may stand still, where it can be read. */
export async function presentTime({ targets, world }: Session): Promise<number> {
  const sandbox = await targets.sandboxAtHand();
  if (!sandbox) return world.now();
  try {
    return Date.parse((await sandbox.call(getClock, {})).now);
  } catch (error) {
    if (error instanceof InterfaceError) return world.now();
    throw error;
  }
}
