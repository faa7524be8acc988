import type { Account } from '../batch/accounts.ts';
import type { BatchFile } from '../batch/batch-files.ts';
import type { Options, Verb } from '../verb/noun.ts';
import { actsOnSubAccounts } from '../verb/verb-options.ts';
import { usageError } from '../errors.ts';
import type { Notes } from '../output/notes.ts';
import type { ResultRow } from '../output/result.ts';
import type { Targets } from '../connection/targets.ts';

/** A verb as it was called. */
interface Command {
  readonly verb: Verb;
  /** The noun and the verb, for messages. */
  readonly words: string;
  readonly options: Options;
}

/**
 * Determines the account or accounts that the verb acts on.
 * @param given the value of `--sub-account`
 * @param named the accounts selected by `--sub-account`, the input or the environment
 * @returns the accounts if there are several, otherwise null
 * @throws CliError 2 if the verb does not support sub-accounts, or does not support several of them
 */
export async function chooseAccounts(
  { verb, words, options }: Command,
  given: string | undefined,
  named: string | undefined,
  targets: Targets,
  notes: Notes,
): Promise<readonly Account[] | null> {
  checkTakesAccounts(verb, words, given);
  if (!actsOnSubAccounts(verb)) {
    targets.actOn(undefined);
    return null;
  }
  if (named === undefined) return null;
  const { chooseAccounts: choose } = await import('../batch/accounts.ts');
  const { accounts, isOne } = await choose(named, targets);
  const option = verb.optionsForOneAccount?.find((name) => options[name] !== undefined);
  const command = option === undefined ? `msgctl ${words}` : `msgctl ${words} --${option}`;
  if (!isOne && (verb.scope === 'one account' || option !== undefined))
    throw usageError(`${command} acts on one account at a time`, 'Run it once for each account.');
  if (accounts.length === 0) notes.say('The account has no sub-accounts: there is nothing to do.');
  if (!isOne) return accounts;
  targets.actOn(accounts[0]?.id);
  return null;
}

/**
 * Checks that a verb supports `--sub-account` where it is given. Called before anything is asked.
 * @throws CliError 2 if it does not
 */
export function checkTakesAccounts(verb: Verb, words: string, given: string | undefined): void {
  if (given === undefined || actsOnSubAccounts(verb)) return;
  throw usageError(
    `msgctl ${words} does not support sub-accounts: omit --sub-account`,
    verb.arguments?.some(({ name }) => name === 'account')
      ? 'Name the account as the last argument.'
      : 'It acts on the account of the key.',
  );
}

/** Removes the sub-account from an input; the client adds it to the request. */
export function splitAccount(given: ResultRow): { input: ResultRow; accountId: string | undefined } {
  const { sub_account_id: accountId, ...input } = given;
  return typeof accountId === 'string' ? { input, accountId } : { input: given, accountId: undefined };
}

/** The remaining accounts of a batch that is resumed. */
export function openAccounts(file: BatchFile): readonly Account[] {
  return file.open.map(({ id, name }) => ({ id: id ?? undefined, name }));
}
