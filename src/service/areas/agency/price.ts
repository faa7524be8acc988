import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { creditPrices } from './table.ts';

/** The price of 1,000 credits, in millionths of a US dollar; null while they are not sold. */
export async function readPrice(db: Db, agencyId: string): Promise<number | null> {
  const row = await db.selectFrom('credit_prices').select('usd_per_1000').where('account_id', '=', agencyId).executeTakeFirst();
  return row?.usd_per_1000 ?? null;
}

/** Sets the price of 1,000 credits, in millionths of a US dollar. */
export async function writePrice(db: Db, agencyId: string, price: number | null): Promise<void> {
  await insertMany(db, creditPrices, [{ account_id: agencyId, usd_per_1000: price }], overwriting(['account_id'], ['usd_per_1000']));
}

/**
 * What credits cost, in whole US cents; half a cent is rounded up (rule agency.12).
 * @param credits in millionths
 * @param price of 1,000 credits, in millionths of a US dollar
 */
export function centsFor(credits: number, price: number): number {
  // A cent in millionths of a credit times millionths of a US dollar, with the price being that of 1,000.
  const cent = 10n ** 13n;
  const numerator = 2n * BigInt(credits) * BigInt(price) + cent;
  // More may be refunded in a period than was spent in it.
  const rest = ((numerator % (2n * cent)) + 2n * cent) % (2n * cent);
  return Number((numerator - rest) / (2n * cent));
}
