import type { Insertable } from 'kysely';
import type { Account } from '../../identity/accounts.ts';
import { insertMany } from '../../store/bulk.ts';
import { ApiError } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import type { CreditLedgerTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import { type Balance, creditsRecord, isAdjustment, type LedgerReason, readBalance } from '../credits/records.ts';
import { balanceMax, crossesBelow, monthStart, rechargeCredits, toCredits, toMillionths } from '../credits/rules.ts';
import { emitAll, type NewEvent } from '../webhooks/emit.ts';
import { Counts, type Dimensions } from './counts.ts';

/** A change of a balance. */
export interface LedgerEntry {
  /** In millionths; negative when credits leave. */
  readonly millionths: number;
  readonly reason: LedgerReason;
  readonly campaignId?: string | null;
  readonly agentId?: string | null;
  readonly channel?: string | null;
  readonly messageId?: string | null;
  /** When what is given back was spent: in an earlier month it is no part of this month's spending. */
  readonly spentAt?: number;
}

/**
 * What a transaction does on an account beside its records: credits that move, events, and counters for analytics. It is
 * collected in memory and written together, so that many sends in one transaction cost little more than one.
 */
export class Journal {
  readonly account: Account;
  readonly now: number;
  readonly #db: Db;
  readonly #counts: Counts;
  readonly #events: NewEvent[] = [];
  readonly #entries: LedgerRow[] = [];
  #balance: Balance | null = null;

  /** @param now by the service's clock */
  constructor(db: Db, account: Account, now: number) {
    this.#db = db;
    this.account = account;
    this.now = now;
    this.#counts = new Counts(account.id);
  }

  /** Adds to a counter, today unless another instant is given. */
  count(counter: Parameters<Counts['add']>[0], dimensions: Dimensions, amount = 1, at = this.now): void {
    this.#counts.add(counter, dimensions, at, amount);
  }

  /** Emits an event once the journal is saved, in the order of the calls. */
  emit(name: NewEvent['name'], data: NewEvent['data'], contactTags?: readonly string[]): void {
    this.#events.push({ name, data, at: this.now, ...(contactTags && { contactTags }) });
  }

  /** The account's balance as it will be, in millionths. */
  async balance(): Promise<number> {
    return (await this.#readBalance()).millionths;
  }

  /** Why an entry cannot be posted; null when it can. */
  async refusalOf({ millionths }: LedgerEntry): Promise<ApiError | null> {
    const { millionths: balance } = await this.#readBalance();
    if (balance + millionths < 0)
      return new ApiError(402, `Not enough credits: ${toCredits(-millionths)} are needed, ${toCredits(balance)} are left`);
    if (balance + millionths > balanceMax) return new ApiError(400, `A balance holds at most ${toCredits(balanceMax)} credits`);
    return null;
  }

  /**
   * Adds an entry to the ledger and to the balance, with the events and the automatic recharge that follow from it.
   * @throws ApiError 402 when the balance would go below zero, 400 when it would become too large: then nothing is changed
   */
  async post(entry: LedgerEntry): Promise<void> {
    const refusal = await this.refusalOf(entry);
    if (refusal) throw refusal;
    const balance = await this.#readBalance();
    const { millionths, reason } = entry;
    const after = balance.millionths + millionths;
    this.#entries.push(this.#ledgerRow(entry));
    const spent = isAdjustment(reason) ? 0 : -millionths;
    const isOfThisMonth = (entry.spentAt ?? this.now) >= monthStart(this.now);
    this.#balance = { ...this.#withSpent(balance, isOfThisMonth ? spent : 0), millionths: after };
    const dimensions = { campaignId: null, agentId: null, channel: null, ...entry, ownIdentity: null };
    if (spent !== 0) this.count('credits_spent', dimensions, spent);
    if (spent > 0) this.emit('Credits Spent', this.#credits());
    if (crossesBelow(balance.millionths, after, this.account.lowCreditThreshold)) await this.#reportLow(reason);
  }

  /** Writes all of it. Nothing may be added afterwards. */
  async save(): Promise<void> {
    const balances = this.#balance && this.#entries.length > 0 ? [{ account_id: this.account.id, ...this.#balance }] : [];
    await insertMany(this.#db, 'credit_ledger', this.#entries);
    await insertMany(this.#db, 'balances', balances, setBalance);
    await this.#counts.save(this.#db);
    await emitAll(this.#db, this.account.id, this.#events);
  }

  async #readBalance(): Promise<Balance> {
    return (this.#balance ??= await readBalance(this.#db, this.account.id));
  }

  #withSpent(balance: Balance, spent: number): Balance {
    const month = monthStart(this.now);
    const before = balance.spent_month === month ? balance.spent_millionths : 0;
    return { ...balance, spent_month: month, spent_millionths: before + spent };
  }

  #ledgerRow({ millionths, reason, campaignId = null, agentId = null, messageId = null }: LedgerEntry): LedgerRow {
    return {
      id: newId('led'),
      account_id: this.account.id,
      at: this.now,
      reason,
      millionths,
      is_adjustment: isAdjustment(reason) ? 1 : 0,
      campaign_id: campaignId,
      agent_id: agentId,
      message_id: messageId,
    };
  }

  /** The balance as it is now, for an event. */
  #credits() {
    const balance = this.#balance as Balance;
    return () => ({ credits: creditsRecord(this.account, balance, this.now) });
  }

  async #reportLow(reason: LedgerReason): Promise<void> {
    this.emit('Low Credit Balance', this.#credits());
    // A balance that the sandbox is told to have is what it is told.
    if (!this.account.autoRechargeEnabled || reason === 'sandbox_adjustment') return;
    const millionths = toMillionths(rechargeCredits);
    await this.post({ millionths, reason: 'recharge' });
    this.count('credits_recharged', { campaignId: null, agentId: null, channel: null, ownIdentity: null }, millionths);
    this.emit('Credits Recharged', this.#credits());
  }
}

type LedgerRow = Insertable<CreditLedgerTable>;

/** The row is there since the account was made: this changes it. */
const setBalance =
  'on conflict (account_id) do update set millionths = excluded.millionths, spent_month = excluded.spent_month, spent_millionths = excluded.spent_millionths';

/** Does something on an account within a transaction, and writes what follows from it. */
export async function withJournal<Result>(
  db: Db,
  account: Account,
  now: number,
  work: (journal: Journal) => Promise<Result>,
): Promise<Result> {
  const journal = new Journal(db, account, now);
  const result = await work(journal);
  await journal.save();
  return result;
}
