import { listSubAccounts } from '../../contract/areas/accounts/endpoints.ts';
import { InterfaceError } from '../../client/errors.ts';
import { ambiguousError, listCommand, noRecordError } from '../verb/names.ts';
import { orUsageError } from '../invalid-value.ts';
import { splitList } from '../verb/values.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { readUserText } from '../files/read.ts';
import { subAccountLookup } from '../lookups/accounts.ts';
import { counted } from '../../contract/text/counted.ts';
import type { Targets } from '../connection/targets.ts';
import { fits } from '../wildcards.ts';

/** An account to act on: a sub-account, or the key's own account. */
export interface Account {
  /** Undefined for the key's own account. */
  readonly id: string | undefined;
  /** Null if the key may not list the sub-accounts. */
  readonly name: string | null;
}

/** The accounts selected with `--sub-account`. */
interface ChosenAccounts {
  readonly accounts: readonly Account[];
  /** Whether exactly one account was given by id or name, so that its result is not merged with others. */
  readonly isOne: boolean;
}

const own: Account = { id: undefined, name: 'own' };

/** Matches account ids. They are used without a lookup. */
const idPattern = /^acc_[\w-]{16}$/;

const isPattern = (item: string) => /[*?]/.test(item);

/**
 * Resolves `--sub-account` or MSGCTL_SUB_ACCOUNT: a comma-separated list of ids, names and patterns such as `Client*`; `all`
 * for all sub-accounts; `own` for the key's own account; or `@file` with one of these per line.
 * @throws CliError 2 if an item is empty or a name matches several accounts; 4 if accounts are not given by id and the key may
 * not list the accounts; 5 if there is no such account
 */
export async function chooseAccounts(named: string, targets: Targets): Promise<ChosenAccounts> {
  const items = await readItems(named);
  const [only = ''] = items;
  targets.actOn(undefined);
  if (items.length === 1 && only === 'own') return { accounts: [own], isOne: true };
  if (items.length === 1 && idPattern.test(only)) return { accounts: [{ id: only, name: null }], isOne: true };
  const known = await readSubAccounts(targets, items);
  const chosen = new Map<string | undefined, Account>();
  for (const item of items) for (const account of accountsOf(item, known)) chosen.set(account.id, account);
  return { accounts: Array.from(chosen.values(), ({ id, name }) => ({ id, name })), isOne: !namesSeveral(named) };
}

/**
 * Whether a text selects several accounts, whose results are merged.
 * @throws InvalidValue if an item is empty
 */
export function namesSeveral(named: string): boolean {
  if (named.startsWith('@')) return true;
  const [only = '', ...others] = splitList(named);
  return others.length > 0 || only === 'all' || isPattern(only);
}

/** Describes the accounts for a confirmation prompt. */
export function describeAccounts(accounts: readonly Account[]): string {
  const maxNamed = 10;
  const names = accounts.map(({ id, name }) => (id === undefined ? 'your own account' : (name ?? id))).join(', ');
  return `${counted(accounts.length, 'account')}${accounts.length > maxNamed ? '' : `: ${names}`}`;
}

async function readItems(named: string): Promise<string[]> {
  if (named.startsWith('@')) {
    const lines = (await readUserText(named.slice(1))).split(/\r?\n/);
    const items = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
    if (items.length === 0) throw usageError(`--sub-account ${named}: the file names no account`);
    return items;
  }
  return await orUsageError('--sub-account', named, () => splitList(named));
}

/** All sub-accounts of the agency. If the key may not list them, only those given by id. */
async function readSubAccounts(targets: Targets, items: readonly string[]): Promise<readonly Account[]> {
  const client = await targets.client();
  try {
    return await client.all(listSubAccounts, {});
  } catch (error) {
    const areIds = items.every((item) => item === 'own' || idPattern.test(item));
    if (!(error instanceof InterfaceError && error.status === 403)) throw error;
    if (!areIds)
      throw new CliError(exitCodes.notAllowed, 'not_allowed', 'This key cannot list the sub-accounts', {
        hint: 'Only the main key lists them. Give their ids, as in --sub-account acc_1,acc_2, or @file with an id on each line.',
        status: error.status,
        errorCode: error.errorCode,
      });
    return items.filter((item) => item !== 'own').map((id) => ({ id, name: null }));
  }
}

function accountsOf(item: string, known: readonly Account[]): readonly Account[] {
  if (item === 'all') return known;
  if (item === 'own') return [own];
  const byId = known.filter(({ id }) => id === item);
  if (byId.length > 0) return byId;
  // An id that the key cannot list may still be valid: the service decides.
  if (idPattern.test(item)) return [{ id: item, name: null }];
  const isMeant = isPattern(item) ? fits(item) : (name: string) => name === item;
  const named = known.filter(({ name }) => name !== null && isMeant(name));
  if (named.length === 0 && isPattern(item))
    throw new CliError(exitCodes.notFound, 'not_found', `No sub-account matches '${item}'`, {
      hint: `\`${listCommand(subAccountLookup)}\` lists them.`,
    });
  if (named.length === 0)
    throw noRecordError(
      subAccountLookup,
      item,
      known.flatMap(({ name }) => name ?? []),
    );
  if (named.length > 1 && !isPattern(item))
    throw ambiguousError(
      subAccountLookup,
      item,
      named.map((account) => ({ ...account })),
    );
  return named;
}
