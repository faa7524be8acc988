import { InterfaceError, UnexpectedAnswerError } from '../../client/errors.ts';
import { getClock } from '../../contract/areas/sandbox/clock.ts';
import type { Session } from './noun.ts';
import { parseWhen } from './when.ts';

/** The current time of the service. For the sandbox, the time of its clock, which can be frozen, if it can be read. */
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
 * Parses a time (see `parseWhen`). Relative times are based on the current time of the service.
 * @throws InvalidValue if the text is not a time
 */
export async function readWhen(text: string, session: Session): Promise<string> {
  const isDate = /^\d{4}-/.test(text);
  return parseWhen(text, isDate ? 0 : await presentTime(session), session.world.env.TZ || undefined);
}
