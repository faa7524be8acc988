import { getAccount } from '../../../contract/areas/sandbox/accounts.ts';
import { getClock } from '../../../contract/areas/sandbox/clock.ts';
import type { Session } from '../../command/noun.ts';
import { exitCodes } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { requireAccountId } from '../../lookups/sandbox-account.ts';

/**
 * The name to type before the store is emptied: that of its first account, as `msgctl whoami` shows it, or the server's address
 * when the account's key is unknown.
 * @throws CliError when the token is wrong or the server cannot be reached
 */
export async function storeName(session: Session): Promise<string> {
  const client = await session.targets.sandboxClient();
  // A wrong token is an error before anything is asked.
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
