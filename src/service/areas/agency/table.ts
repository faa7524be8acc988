import { integer, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';

/** The prices at which agencies sell credits. */
export const creditPrices = table('credit_prices', {
  account_id: text(),
  /** Of 1,000 credits, in millionths of a US dollar. */
  usd_per_1000: integer().nullable(),
});

declare module '../../store/database.ts' {
  interface Database {
    credit_prices: StoredRow<typeof creditPrices>;
  }
}
