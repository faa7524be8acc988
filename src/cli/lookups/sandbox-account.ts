import { DryRun, InterfaceError } from '../../client/errors.ts';
import { getHealth } from '../../contract/areas/health/endpoints.ts';
import { getAccount } from '../../contract/areas/sandbox/accounts.ts';
import { ambiguousError, Names } from '../verb/names.ts';
import type { Session } from '../verb/noun.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { subAccountLookup } from './accounts.ts';

/**
 * The account for a sandbox command: the given account, else the first account of the store, else the account of the key.
 * @throws CliError 2 if none of them is known, or a name matches two accounts; 5 if it matches none
 */
export async function requireAccountId(named: string | undefined, session: Session): Promise<string> {
  const id = named === undefined ? await defaultAccountId(session) : await findAccountId(named, session);
  if (id === undefined)
    throw usageError('No account given', 'Give the id of an account, which `msgctl serve` prints and `msgctl whoami` shows.');
  return id;
}

async function defaultAccountId(session: Session): Promise<string | undefined> {
  return session.targets.firstAccount ?? (await findOwnAccountId(session));
}

/** Finds an account by id or name: a sub-account, or the key's own account, which is not in the list of sub-accounts. */
async function findAccountId(word: string, session: Session): Promise<string> {
  let subAccountId: string | undefined;
  let missing: unknown;
  try {
    subAccountId = await session.names.id(subAccountLookup, word);
  } catch (error) {
    if (!(error instanceof CliError && error.exitCode === exitCodes.notFound)) throw error;
    missing = error;
  }
  if (subAccountId === word) return word;
  const ownId = await defaultAccountId(session);
  const own = ownId === undefined ? undefined : await (await session.targets.sandboxClient()).call(getAccount, { params: { id: ownId } });
  const isOwn = own?.account.name === word;
  if (isOwn && subAccountId !== undefined)
    throw ambiguousError({ what: 'account', label: 'name' }, word, [own.account, { id: subAccountId, name: word }]);
  const id = isOwn ? own.account.id : subAccountId;
  if (id === undefined) throw missing;
  return id;
}

/**
 * Whether the profile stores the key of this account. That is the first account of the embedded store or, on a server, the
 * account of the stored key. If the profile has no working key, any account qualifies.
 */
export async function isOwnAccount(id: string, session: Session): Promise<boolean> {
  try {
    return id === ((await defaultAccountId(session)) ?? id);
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 401) return true;
    throw error;
  }
}

/** The account of the key, for a server. Every key, even a scoped one, can read the health endpoint. */
async function findOwnAccountId({ targets }: Session): Promise<string | undefined> {
  if (targets.resolve().key === null) return undefined;
  try {
    return (await (await targets.client()).call(getHealth, {})).account_id;
  } catch (error) {
    if (error instanceof DryRun) return undefined;
    throw error;
  }
}

const summary = 'the id or the name of an account; your own by default';

/** Finds records by name in an account. @throws like `requireAccountId` */
async function namesIn(account: string, session: Session): Promise<Names> {
  const id = await requireAccountId(account, session);
  return new Names(await session.targets.forAccount((await isOwnAccount(id, session)) ? undefined : id));
}

/** The last argument of verbs that act on an account. */
export const accountArgument = {
  param: 'id',
  name: 'account',
  summary,
  isOptional: true,
  resolve: requireAccountId,
  names: namesIn,
} as const;
