import { ApiError } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { NewRow } from '../../store/table.ts';
import { type AccountFailure, type Failure, logFailures } from '../notices/log-failures.ts';
import { type AccountNotification, type NewNotification, notify } from '../notices/notify.ts';
import { creditsRecord, readBalance, readBalances } from '../credits/records.ts';
import { balanceMax, crossesBelow, isAdjustment, type LedgerReason, monthStart } from '../credits/rules.ts';
import { toCredits } from '../../store/millionths.ts';
import { type Balance, balances, creditLedger } from '../credits/table.ts';
import { type AccountSubscription, emitAll, type NewEvent, readSubscriptions } from '../webhooks/emit.ts';
import type { CountedMessage, MessageCounter } from './contact-counts.ts';
import { type CountedContact, Counts, type Dimensions } from './counts.ts';

/** A change of a balance. */
interface LedgerEntry {
  /** In millionths; negative when credits are spent. */
  readonly millionths: number;
  readonly reason: LedgerReason;
  readonly campaignId?: string | null;
  readonly agentId?: string | null;
  readonly channel?: string | null;
  readonly messageId?: string | null;
  /** The other account of a transfer. */
  readonly transferAccountId?: string;
  /** In epoch milliseconds; by default the time of the journal. */
  readonly at?: number;
  /** When the refunded credits were spent. A refund of credits from an earlier month does not lower this month's spending. */
  readonly spentAt?: number;
}

/**
 * Collects the ledger entries, events and counters of a transaction on an account. They are written in one batch, so that many
 * sends in one transaction cost little more than one.
 */
export class Journal {
  readonly account: Account;
  readonly now: number;
  readonly #db: Db;
  readonly #counts: Counts;
  readonly #events: NewEvent[] = [];
  readonly #notifications: AccountNotification[] = [];
  readonly #failures: AccountFailure[] = [];
  readonly #entries: NewRow<typeof creditLedger>[] = [];
  #balance: Balance | undefined;
  readonly #subscriptions: readonly AccountSubscription[] | undefined;
  readonly #isOfThePast: boolean;

  /**
   * @param now by the service's clock
   * @param known what the transaction has already read
   * @param isOfThePast whether everything happened before: nothing is emitted or refused, and nothing is recharged automatically
   */
  constructor(db: Db, account: Account, now: number, known?: KnownForJournals, isOfThePast = false) {
    this.#db = db;
    this.account = account;
    this.now = now;
    this.#balance = known?.balances.get(account.id);
    this.#subscriptions = known?.subscriptions.get(account.id);
    this.#counts = new Counts(account.id);
    this.#isOfThePast = isOfThePast;
  }

  /** The number of entries that are added to the ledger. */
  get entryCount(): number {
    return this.#entries.length;
  }

  /** Adds to a counter, by default for today. */
  count(counter: Parameters<Counts['add']>[0], dimensions: Dimensions, amount = 1, at = this.now): void {
    this.#counts.add(counter, dimensions, at, amount);
  }

  /** Counts a message for its day and for its contact. @param price what it costs, in millionths */
  countMessage(counter: MessageCounter, message: CountedMessage, price?: number): void {
    this.#counts.addMessage(counter, message, price);
  }

  /** Counts the refund of a message on its contact. @param price in millionths */
  countRefund(message: CountedMessage, price: number): void {
    this.#counts.refund(message, price);
  }

  /** Counts a new contact. */
  countContact(contact: Omit<CountedContact, 'at'> & { readonly at?: number }): void {
    this.#counts.addContact({ at: this.now, ...contact });
  }

  /** Emits an event when the journal is saved, in the order of the calls. */
  emit(name: NewEvent['name'], data: NewEvent['data'], contactTags?: NewEvent['contactTags']): void {
    if (this.#isOfThePast) return;
    this.#events.push({ accountId: this.account.id, name, data, at: this.now, ...(contactTags && { contactTags }) });
  }

  /** Tells the account of something when the journal is saved. */
  notify(notification: NewNotification): void {
    this.#notifications.push({ ...notification, accountId: this.account.id, at: this.now });
  }

  /** Adds a failure that no caller sees to the error log when the journal is saved. */
  fail(failure: Failure): void {
    this.#failures.push({ ...failure, accountId: this.account.id, at: this.now });
  }

  /** The account's balance including the posted entries, in millionths. */
  async balance(): Promise<number> {
    return (await this.#readBalance()).millionths;
  }

  /**
   * Checks whether an entry can be posted. Returns the error, 402 when the balance would go below zero and 400 when it
   * would become too large; otherwise undefined.
   */
  async postingError({ millionths }: LedgerEntry): Promise<ApiError | undefined> {
    const { millionths: balance } = await this.#readBalance();
    if (balance + millionths < 0)
      return new ApiError(402, `Not enough credits: ${toCredits(-millionths)} are needed, ${toCredits(balance)} are left`);
    if (balance + millionths > balanceMax) return new ApiError(400, `A balance holds at most ${toCredits(balanceMax)} credits`);
    return undefined;
  }

  /**
   * Adds an entry to the ledger and to the balance, and triggers the events and the automatic recharge that follow from it.
   * @returns the id of the entry
   * @throws ApiError the error of `postingError`; nothing is changed then
   */
  async post(entry: LedgerEntry): Promise<string> {
    const error = this.#isOfThePast ? undefined : await this.postingError(entry);
    if (error) throw error;
    const balance = await this.#readBalance();
    const { millionths, reason, at = this.now } = entry;
    const after = balance.millionths + millionths;
    const row = this.#ledgerRow(entry);
    this.#entries.push(row);
    const spent = isAdjustment(reason) ? 0 : -millionths;
    const isOfThisMonth = (entry.spentAt ?? at) >= monthStart(this.now);
    this.#balance = { ...this.#withSpent(balance, isOfThisMonth ? spent : 0), millionths: after };
    const dimensions = { campaignId: null, agentId: null, channel: null, ...entry, ownIdentity: null };
    if (spent !== 0) this.count('credits_spent', dimensions, spent, at);
    if (!row.is_adjustment) this.#counts.addEntry({ ...dimensions, at, reason }, spent);
    if (spent > 0) this.emit('Credits Spent', this.#credits());
    if (!this.#isOfThePast && crossesBelow(balance.millionths, after, this.account.lowCreditThreshold))
      await this.#reportLow(reason, spent);
    return row.id;
  }

  /**
   * Posts an entry that falls due after it was checked. With automatic recharge, the balance is first recharged as often as
   * needed.
   * @returns the id of the entry, or the error of `postingError`; nothing is posted then
   */
  async postDue(entry: LedgerEntry): Promise<string | ApiError> {
    let error = await this.postingError(entry);
    while (error?.status === 402 && this.account.autoRechargeEnabled) {
      await this.recharge();
      error = await this.postingError(entry);
    }
    return error ?? (await this.post(entry));
  }

  /** Recharges the balance with as many credits as the account says. */
  async recharge(at = this.now): Promise<void> {
    const millionths = this.account.autoRechargeCredits;
    await this.post({ millionths, reason: 'recharge', at });
    this.count('credits_recharged', { campaignId: null, agentId: null, channel: null, ownIdentity: null }, millionths, at);
    this.emit('Credits Recharged', this.#credits());
    const text = 'The balance was low, so credits were added by the automatic recharge.';
    if (!this.#isOfThePast) this.notify({ kind: 'credits_recharged', title: 'Credits were recharged', text, entity: null });
  }

  /** Writes the journals of some accounts in one batch. Call it once, at the end. */
  static async saveAll(db: Db, journals: readonly Journal[]): Promise<void> {
    const changed = journals.flatMap((journal) => {
      const { account } = journal;
      return journal.#balance && journal.#entries.length > 0 ? [{ account_id: account.id, ...journal.#balance }] : [];
    });
    await insertMany(
      db,
      creditLedger,
      journals.flatMap((journal) => journal.#entries),
    );
    await insertMany(db, balances, changed, setBalance);
    await Counts.saveAll(
      db,
      journals.map((journal) => journal.#counts),
    );
    await notify(
      db,
      journals.flatMap((journal) => journal.#notifications),
    );
    await logFailures(
      db,
      journals.flatMap((journal) => journal.#failures),
    );
    const emitting = journals.filter((journal) => journal.#events.length > 0);
    const known = emitting.flatMap((journal): [string, readonly AccountSubscription[]][] =>
      journal.#subscriptions ? [[journal.account.id, journal.#subscriptions]] : [],
    );
    await emitAll(
      db,
      emitting.flatMap((journal) => journal.#events),
      known.length === emitting.length ? new Map(known) : undefined,
    );
  }

  async #readBalance(): Promise<Balance> {
    return (this.#balance ??= await readBalance(this.#db, this.account.id));
  }

  #withSpent(balance: Balance, spent: number): Balance {
    const month = monthStart(this.now);
    const before = balance.spent_month === month ? balance.spent_millionths : 0;
    return { ...balance, spent_month: month, spent_millionths: before + spent };
  }

  #ledgerRow(entry: LedgerEntry): NewRow<typeof creditLedger> {
    const { millionths, reason, at = this.now, campaignId, agentId, channel, messageId, transferAccountId } = entry;
    return {
      id: newId('led'),
      account_id: this.account.id,
      at,
      reason,
      millionths,
      is_adjustment: isAdjustment(reason),
      campaign_id: campaignId ?? null,
      agent_id: agentId ?? null,
      channel: channel ?? null,
      message_id: messageId ?? null,
      transfer_account_id: transferAccountId ?? null,
    };
  }

  /** The current balance, for an event. */
  #credits() {
    const balance = this.#balance as Balance;
    return () => ({ credits: creditsRecord(this.account, balance, this.now) });
  }

  /** @param spent 0 for an adjustment, of which no notification tells */
  async #reportLow(reason: LedgerReason, spent: number): Promise<void> {
    this.emit('Low Credit Balance', this.#credits());
    const text = 'The balance fell below the threshold of the account. Add credits before messages are refused.';
    if (spent > 0) this.notify({ kind: 'credits_low', title: 'Credits are low', text, entity: null });
    // A balance set by the sandbox is not recharged, so that it remains exact.
    if (this.account.autoRechargeEnabled && reason !== 'sandbox_adjustment') await this.recharge();
  }
}

/** Every account has a balance, so the insertion always updates it. */
const setBalance = overwriting(['account_id'], ['millionths', 'spent_month', 'spent_millionths']);

/** What journals need from the store, by account id. */
interface KnownForJournals {
  readonly balances: ReadonlyMap<string, Balance>;
  readonly subscriptions: ReadonlyMap<string, readonly AccountSubscription[]>;
}

/** Reads in one batch what the journals of some accounts need. Without it, each journal reads this on demand. */
export async function readForJournals(db: Db, accountIds: readonly string[]): Promise<KnownForJournals> {
  const [balances, subscriptions] = await Promise.all([readBalances(db, accountIds), readSubscriptions(db, accountIds)]);
  return { balances, subscriptions };
}

/** Runs work on accounts within a transaction, and writes their journals in one batch. */
export async function withJournals<Result>(
  db: Db,
  accounts: readonly Account[],
  now: number,
  work: (journals: readonly Journal[]) => Promise<Result>,
  known?: KnownForJournals,
): Promise<Result> {
  const journals = accounts.map((account) => new Journal(db, account, now, known));
  const result = await work(journals);
  await Journal.saveAll(db, journals);
  return result;
}

/** Runs work on an account within a transaction, and writes its journal. */
export async function withJournal<Result>(
  db: Db,
  account: Account,
  now: number,
  work: (journal: Journal) => Promise<Result>,
): Promise<Result> {
  return await withJournals(db, [account], now, ([journal]) => work(journal as Journal));
}

/**
 * Runs work on an account within a transaction, and writes its journal of what happened before: nothing is emitted or refused, and
 * nothing is recharged automatically.
 */
export async function withJournalOfThePast<Result>(
  db: Db,
  account: Account,
  now: number,
  work: (journal: Journal) => Promise<Result>,
): Promise<Result> {
  const journal = new Journal(db, account, now, undefined, true);
  const result = await work(journal);
  await Journal.saveAll(db, [journal]);
  return result;
}
