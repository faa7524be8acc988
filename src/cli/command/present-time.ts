import { InterfaceError, UnexpectedAnswerError } from '../../client/errors.ts';
import { getClock } from '../../contract/areas/sandbox/clock.ts';
import type { Session } from './noun.ts';
import { parseWhen } from './when.ts';

/** The present time of the service: that of the sandbox's clock, which may stand still, where it can be read. */
export async function presentTime({ targets, world }: Session): Promise<number> {
  const sandbox = await targets.sandboxAtHand();
  if (!sandbox) return world.now();
  try {
    return Date.parse((await sandbox.call(getClock, {})).now);
  } catch (error) {
    if (error instanceof InterfaceError || error instanceof UnexpectedAnswerError) return world.now();
    throw error;
  }
}

/**
 * Reads a time as people write it (see `parseWhen`). What counts from now counts from the present time of the service.
 * @throws InvalidValue when it is none
 */
export async function readWhen(text: string, session: Session): Promise<string> {
  const isDate = /^\d{4}-/.test(text);
  return parseWhen(text, isDate ? 0 : await presentTime(session), session.world.env.TZ || undefined);
}
