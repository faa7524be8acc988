import { InterfaceError, UnexpectedAnswerError } from '../../../client/errors.ts';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import type { Options, Session } from '../../command/noun.ts';
import { type Days, daysOf, isDate, withDefaultDays } from './days.ts';

/**
 * The current time of the service in epoch milliseconds, which determines the days of figures (rule conventions.61). That of this
 * machine, if the service does not tell its own.
 */
export async function serviceTime({ targets, world }: Session): Promise<number> {
  const client = await targets.client();
  try {
    return Date.parse((await client.call(getHealth, {})).time);
  } catch (error) {
    if ((error instanceof InterfaceError && error.status === 404) || error instanceof UnexpectedAnswerError) return world.now();
    throw error;
  }
}

/**
 * The days that `--from` and `--to` mean; the last 30 days if neither is given.
 * @throws CliError 2 if one of them is invalid, before a request is sent
 */
export async function daysInForce(options: Options, session: Session): Promise<Days> {
  const asGiven = daysOf(options, session.world.now());
  if (isDate(options.from as string | undefined) && isDate(options.to as string | undefined)) return withDefaultDays(asGiven, 0);
  const now = await serviceTime(session);
  return withDefaultDays(daysOf(options, now), now);
}
