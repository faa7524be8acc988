import { getAccount } from '../../../contract/areas/sandbox/accounts.ts';
import { getClock } from '../../../contract/areas/sandbox/clock.ts';
import type { Session } from '../../verb/noun.ts';
import { exitCodes } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { requireAccountId } from '../../lookups/sandbox-account.ts';

/**
 * The name to type before the store is emptied: the name of its first account, as shown by `msgctl whoami`, or the server's
 * address if the account's key is unknown.
 * @throws CliError if the token is wrong or the server cannot be reached
 */
export async function storeName(session: Session): Promise<string> {
  const client = await session.targets.sandboxClient();
  // Reports a wrong token before the prompt.
  await client.call(getClock, {});
  try {
    const id = await requireAccountId(undefined, session);
    return (await client.call(getAccount, { params: { id } })).account.name;
  } catch (error) {
    const { status, exitCode } = toCliError(error);
    if (status === 401 || exitCode === exitCodes.usage) return session.targets.describeSandbox();
    throw error;
  }
}
