import { DryRun } from '../../../client/errors.ts';
import { getMe } from '../../../contract/areas/whoami/endpoints.ts';
import type { Session } from '../../command/noun.ts';
import { usageError } from '../../errors.ts';

/**
 * The account that a command of the sandbox acts on: the named account, else the first account of the store, else the
 * account of the key.
 * @throws CliError 2 when none of them is known
 */
export async function requireAccountId(named: string | undefined, session: Session): Promise<string> {
  const id = named ?? session.targets.firstAccount ?? (await findOwnAccountId(session));
  if (id === undefined)
    throw usageError('No account given', 'Give the id of an account, which `msgctl serve` prints and `msgctl whoami` shows.');
  return id;
}

/** The account of the key, for a server given by its address. */
async function findOwnAccountId({ targets }: Session): Promise<string | undefined> {
  if (targets.resolve().key === null) return undefined;
  try {
    return (await (await targets.client()).call(getMe, {})).user.id;
  } catch (error) {
    if (error instanceof DryRun) return undefined;
    throw error;
  }
}

const summary = 'the id of an account; the first account by default';

/** The last argument of verbs that act on an account. */
export const accountArgument = { param: 'id', name: 'account', summary, isOptional: true, resolve: requireAccountId } as const;
