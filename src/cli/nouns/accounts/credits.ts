import { getCredits } from '../../../contract/areas/credits/endpoints.ts';
import { digits } from '../../../contract/text/counted.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { Session } from '../../verb/noun.ts';

/** Credits without the noise of binary fractions: the interface has six decimal places. */
export function exact(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}

/**
 * The credits that the agency has left after moving some.
 * @throws CliError 1 if it does not have as many
 */
export async function leftAfter(session: Session, moved: number): Promise<number> {
  // The session may act on the one account that is named.
  const agency = await session.targets.forAccount(undefined);
  const { balance } = await (await agency.client()).call(getCredits, {});
  if (moved <= balance) return exact(balance - moved);
  throw new CliError(exitCodes.failed, 'not_enough_credits', `${digits(moved)} credits are needed, and the agency has ${digits(balance)}`, {
    hint: 'Nothing was moved.',
    details: { needed: moved, balance },
  });
}
