import { iso } from '../../../contract/time/instants.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { toCredits } from '../../store/millionths.ts';
import { countOverview, lastMessages } from './counters.ts';
import { clientRecord, inOrder, pageAfter, type Position, totalsOf } from './rules.ts';

export const agencyHandlers: AreaHandlers<'agency'> = {
  // Every page counts all sub-accounts anew: their order depends on all of them.
  'agency.overview': async ({ db, account, query, page, now }) => {
    const clients = inOrder(await countOverview(db, account.id, now));
    const { rows, next_cursor } = await page(async (after: Position | undefined, limit) => pageAfter(clients, after, limit));
    const last = await lastMessages(
      db,
      rows.map(({ client }) => client.id),
    );
    const totals = query.cursor === undefined ? totalsOf(clients) : null;
    return {
      accounts: rows.map(({ client }) => clientRecord(client, last.get(client.id) ?? null)),
      totals: totals && { ...totals, balance: toCredits(totals.balance) },
      as_of: iso(now),
      next_cursor,
    };
  },
};
