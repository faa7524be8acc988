import { transferCredits } from '../../../contract/areas/accounts/endpoints.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { type Account, chooseAccounts, namesSeveral } from '../../batch/accounts.ts';
import { usageError } from '../../errors.ts';
import { subAccountLookup } from '../../lookups/accounts.ts';
import type { Result } from '../../output/result.ts';
import type { Options, Question, Session } from '../../verb/noun.ts';
import { canAsk } from '../../world.ts';
import { exact, leftAfter } from './credits.ts';

/**
 * The accounts of a transfer to several: those that the arguments or `--sub-account` name. Null for a single one.
 * @throws CliError 2 if both or neither name any, 1 if the agency does not have as many credits
 */
export async function accountsToTransferTo(
  session: Session,
  words: readonly string[],
  options: Options,
): Promise<readonly Account[] | null> {
  const accounts = await namedAccounts(session, words);
  if (accounts) await leftAfter(session, sumOf(session, accounts, options));
  return accounts;
}

async function namedAccounts(session: Session, words: readonly string[]): Promise<readonly Account[] | null> {
  const { subAccountId } = session.targets.resolve();
  const isOneGiven = session.globals.subAccount !== undefined && subAccountId !== undefined;
  const given = session.accounts ?? (isOneGiven ? [{ id: subAccountId, name: null }] : null);
  if (words.length > 0 && given) throw usageError('Name the accounts either as arguments or with --sub-account');
  if (given) return given;
  if (words.length === 0)
    throw usageError('Give the id or the name of a sub-account', 'Several can be given, and patterns such as `Client*`.');
  const named = words.join(',');
  return namesSeveral(named) ? (await chooseAccounts(named, session.targets)).accounts : null;
}

function amountOf({ input }: Session, options: Options): number {
  return (options.amount ?? input.amount ?? 0) as number;
}

function sumOf(session: Session, accounts: readonly Account[], options: Options): number {
  return exact(amountOf(session, options) * accounts.length);
}

/** Asks before a transfer. Scripts are asked only for several accounts. */
export async function askToTransfer(session: Session, [word]: readonly string[], options: Options): Promise<Question | null> {
  const { accounts } = session;
  const amount = amountOf(session, options);
  if (!accounts) {
    if (word === undefined || amount === 0 || !canAsk(session.world)) return null;
    const { name } = await session.names.record(subAccountLookup, word);
    return { text: `Move ${counted(Math.abs(amount), 'credit')} ${amount > 0 ? 'to' : 'back from'} ${name}?`, onTerminals: true };
  }
  const sum = sumOf(session, accounts, options);
  const whom = `each of ${counted(accounts.length, 'account')}`;
  if (sum < 0) return `Move ${counted(-amount, 'credit')} back from ${whom}, ${digits(-sum)} in all?`;
  const left = await leftAfter(session, sum);
  return `Move ${counted(amount, 'credit')} to ${whom}, ${digits(sum)} in all? The agency has ${digits(left)} left then.`;
}

/** Moves credits to one of several accounts. */
export async function transferToOne(session: Session, options: Options): Promise<Result> {
  const client = await session.targets.client();
  const id = session.targets.resolve().subAccountId ?? '';
  const body = { amount: amountOf(session, options) };
  const { sub_account: record } = await client.call(transferCredits, { params: { id }, body });
  return { kind: 'record', answer: { sub_account: record }, record };
}
