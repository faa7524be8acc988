import { NetworkError } from '../../client/errors.ts';
import { getClock } from '../../contract/areas/sandbox/clock.ts';
import { CliError } from '../errors.ts';
import type { Targets } from '../target/targets.ts';
import type { World } from '../world.ts';

/**
 * The current time of the service that a verb calls, in epoch milliseconds. If there is none that can be asked, that of this
 * machine.
 * @param isSandbox whether the verb calls the sandbox, whose token is not valid for the health of the service
 * @throws InterfaceError when the service refuses to answer
 */
export async function serviceTime(targets: Targets, world: World, isSandbox: boolean): Promise<number> {
  try {
    if (isSandbox) return Date.parse((await (await targets.sandboxClient()).call(getClock, {})).now);
    return (await (await targets.client()).time()) ?? world.now();
  } catch (error) {
    // No key, no store or no answer: the call of the verb says so, if it makes one.
    if (error instanceof CliError || error instanceof NetworkError) return world.now();
    throw error;
  }
}
