import { rangeCaps } from '../../../contract/areas/analytics/names.ts';
import { iso } from '../../../contract/time/instants.ts';
import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, ownTransactionsHandler } from '../../http/handler.ts';
import { toCredits, toMillionths } from '../../store/millionths.ts';
import { listSubAccounts } from '../accounts/records.ts';
import { periodOf, showPeriod } from '../analytics/period.ts';
import { countTroubles, showClients } from './counters.ts';
import { readPrice, writePrice } from './price.ts';
import { inOrder, pageAfter, type Position, totalsOf } from './rules.ts';
import { readUsage, totalsOf as totalUsageOf, usageRecord } from './usage.ts';

export const agencyHandlers: AreaHandlers<'agency'> = {
  // Every page reads the troubles of all sub-accounts anew: their order depends on them. The rest is read for the page alone.
  'agency.overview': async ({ db, account, query, page, now }) => {
    const clients = inOrder(await countTroubles(db, account.id, now));
    const { rows, next_cursor } = await page(async (after: Position | undefined, limit) => pageAfter(clients, after, limit));
    return {
      accounts: await showClients(
        db,
        rows.map(({ client }) => client),
      ),
      totals: query.cursor === undefined ? totalsOf(clients) : null,
      as_of: iso(now),
      next_cursor,
    };
  },

  // The first page reads the counters of all sub-accounts for the totals, further pages those of their own.
  'agency.usage': ownTransactionsHandler(async ({ service, account, query, page, now }) => {
    const period = periodOf(query, now, rangeCaps.ledger);
    const { price, clients, rows, next_cursor } = await service.store.read(async (db) => {
      const clients = query.cursor === undefined ? await listSubAccounts(db, account.id) : undefined;
      const shown = await page(async (before: number | undefined, limit) =>
        clients ? clients.slice(0, limit) : await listSubAccounts(db, account.id, before, limit),
      );
      return { price: await readPrice(db, account.id), clients, ...shown };
    });
    const used = await readUsage(service, clients ?? rows, period, price);
    return {
      ...showPeriod(period),
      accounts: used.slice(0, rows.length).map(usageRecord),
      totals: clients ? totalUsageOf(used, price) : null,
      next_cursor,
    };
  }),

  'agency.getPrice': async ({ db, account }) => ({ credit_price: priceRecord(await readPrice(db, account.id)) }),

  'agency.setPrice': async ({ db, account, body }) => {
    checkNotEmpty(body);
    const { usd_per_1000: price } = body;
    if (price !== undefined) await writePrice(db, account.id, price === null ? null : toMillionths(price));
    return { credit_price: priceRecord(await readPrice(db, account.id)) };
  },
};

function priceRecord(price: number | null) {
  return { usd_per_1000: price === null ? null : toCredits(price) };
}
