import type { LedgerReason } from './rules.ts';
import { boolean, instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

export const balances = table('balances', {
  account_id: text(),
  millionths: integer(),
  /** The UTC month that `spent_millionths` covers, as its first instant. */
  spent_month: integer().default(0),
  /** The credits spent in that month, minus refunds and without adjustments. */
  spent_millionths: integer().default(0),
});

export const creditLedger = table('credit_ledger', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  at: instant(),
  reason: text<LedgerReason>(),
  /** The change of the balance; negative when credits are spent. */
  millionths: integer(),
  is_adjustment: boolean(),
  campaign_id: text().nullable(),
  agent_id: text().nullable(),
  channel: text().nullable(),
  message_id: text().nullable(),
  /** The other account of a transfer. It may be deleted. */
  transfer_account_id: text().nullable().default(null),
});

/** An account's balance, and what it spent in a month. */
export type Balance = Omit<Row<typeof balances>, 'account_id'>;

declare module '../../store/database.ts' {
  interface Database {
    balances: StoredRow<typeof balances>;
    credit_ledger: StoredRow<typeof creditLedger>;
  }
}
