import { getSubAccount, listSubAccounts, transferCredits } from '../../../contract/areas/accounts/endpoints.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import type { Account } from '../../batch/accounts.ts';
import { usageError } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import type { Options, Question, Session } from '../../verb/noun.ts';
import { exact, leftAfter } from './credits.ts';

/** The options of a top-up: whom it concerns, and how much they have afterwards. */
interface Amounts {
  readonly below: number;
  readonly to: number;
}

/** An account whose credits are short. */
interface Short {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}

/** How many accounts a plan lists. */
const maxListed = 20;

/** @throws CliError 2 if the amounts contradict each other */
function amountsOf(options: Options): Amounts {
  const { below, to } = options as unknown as Amounts;
  if (to < below)
    throw usageError(`--to ${to} is less than --below ${below}`, '--to is the balance to which accounts below --below are filled up.');
  return { below, to };
}

/** The accounts whose credits are short, among those that `--sub-account` selects, or all. */
async function findShort({ targets, accounts }: Session, { below }: Amounts): Promise<Short[]> {
  const all = await (await targets.client()).all(listSubAccounts, {});
  const { subAccountId: only } = targets.resolve();
  const chosen = accounts ? new Set(accounts.map(({ id }) => id)) : only === undefined ? null : new Set([only]);
  return all.filter(({ id, balance }) => balance < below && (chosen?.has(id) ?? true)).toSorted((a, b) => compareTexts(a.name, b.name));
}

/** How many credits each account lacks, and all of them together. */
function missingOf(short: readonly Short[], { to }: Amounts): { readonly each: readonly number[]; readonly sum: number } {
  const each = short.map(({ balance }) => exact(to - balance));
  return { each, sum: exact(each.reduce((total, one) => total + one, 0)) };
}

/**
 * The accounts that are topped up.
 * @throws CliError 1 if the agency does not have as many credits
 */
export async function accountsToTopUp(session: Session, options: Options): Promise<readonly Account[]> {
  const amounts = amountsOf(options);
  const short = await findShort(session, amounts);
  await leftAfter(session, missingOf(short, amounts).sum);
  if (short.length === 0) session.notes.say(`No account has less than ${counted(amounts.below, 'credit')}.`);
  return short.map(({ id, name }) => ({ id, name }));
}

/** Shows the plan of a top-up, and asks once. */
export async function askToTopUp(session: Session, options: Options): Promise<Question | null> {
  const amounts = amountsOf(options);
  const short = await findShort(session, amounts);
  if (short.length === 0) return null;
  const { each, sum } = missingOf(short, amounts);
  const left = await leftAfter(session, sum);
  const width = Math.max(...short.slice(0, maxListed).map(({ name }) => name.length));
  const lines = short
    .slice(0, maxListed)
    .map(({ name, balance }, index) => `${name.padEnd(width)}  ${digits(balance)} + ${digits(each[index] ?? 0)} = ${digits(amounts.to)}`);
  const more = short.length > maxListed ? [`and ${digits(short.length - maxListed)} more`] : [];
  session.notes.beforeQuestion([...lines, ...more]);
  return `Move ${counted(sum, 'credit')} to ${counted(short.length, 'account')}? The agency has ${digits(left)} left then.`;
}

/** Tops up one account. It asks for the balance anew, so that a batch that is resumed moves nothing twice. */
export async function topUp({ targets }: Session, options: Options): Promise<Result> {
  const { below, to } = amountsOf(options);
  const client = await targets.client();
  const id = targets.resolve().subAccountId ?? '';
  const { sub_account: before } = await client.call(getSubAccount, { params: { id } });
  const amount = exact(to - before.balance);
  const isShort = before.balance < below && amount > 0;
  const after = isShort ? (await client.call(transferCredits, { params: { id }, body: { amount } })).sub_account : before;
  const record = { ...after, moved: isShort ? amount : 0 };
  return { kind: 'record', answer: { sub_account: record }, record };
}
