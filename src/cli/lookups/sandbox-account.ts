import { DryRun, InterfaceError } from '../../client/errors.ts';
import { getHealth } from '../../contract/areas/health/endpoints.ts';
import type { Session } from '../command/noun.ts';
import { usageError } from '../errors.ts';
import { subAccountLookup } from './accounts.ts';

/**
 * The account that a command of the sandbox acts on: the named account, else the first account of the store, else the
 * account of the key.
 * @throws CliError 2 when none of them is known
 */
export async function requireAccountId(named: string | undefined, session: Session): Promise<string> {
  const id =
    named === undefined
      ? (session.targets.firstAccount ?? (await findOwnAccountId(session)))
      : await session.names.id(subAccountLookup, named);
  if (id === undefined)
    throw usageError('No account given', 'Give the id of an account, which `msgctl serve` prints and `msgctl whoami` shows.');
  return id;
}

/**
 * Whether an account is the one whose key the profile stores: the first account of the embedded store, or on a server that
 * of the stored key. A profile without a key that works takes that of any account.
 */
export async function isOwnAccount(id: string, session: Session): Promise<boolean> {
  try {
    return id === (session.targets.firstAccount ?? (await findOwnAccountId(session)) ?? id);
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 401) return true;
    throw error;
  }
}

/** The account of the key, for a server. Every key may read its health, a scoped one too. */
async function findOwnAccountId({ targets }: Session): Promise<string | undefined> {
  if (targets.resolve().key === null) return undefined;
  try {
    return (await (await targets.client()).call(getHealth, {})).account_id;
  } catch (error) {
    if (error instanceof DryRun) return undefined;
    throw error;
  }
}

const summary = 'the id of an account; your own by default';

/** The last argument of verbs that act on an account. */
export const accountArgument = { param: 'id', name: 'account', summary, isOptional: true, resolve: requireAccountId } as const;
