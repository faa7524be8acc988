import { NetworkError } from '../../client/errors.ts';
import { getClock } from '../../contract/areas/sandbox/clock.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';

/**
 * The current time of the service that a verb calls, in epoch milliseconds; that of this machine if there is no service to ask.
 * @param isSandbox whether the verb calls the sandbox, whose token is not valid for the health of the service
 * @throws InterfaceError when the service refuses to answer
 */
export async function serviceTime(targets: Targets, world: World, isSandbox: boolean): Promise<number> {
  try {
    if (isSandbox) return Date.parse((await (await targets.sandboxClient()).call(getClock, {})).now);
    // The clock of a new store is that of this machine, and asking must not create one.
    if (targets.resolve().baseUrl === null && !targets.dataDirectory.exists) return world.now();
    return (await (await targets.client()).time()) ?? world.now();
  } catch (error) {
    const hasNoKey = error instanceof CliError && error.exitCode === exitCodes.notAllowed;
    if (hasNoKey || error instanceof NetworkError) return world.now();
    throw error;
  }
}
