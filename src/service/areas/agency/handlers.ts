import { severityOf } from '../../../contract/areas/agency/severity.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { countOverview, lastMessages } from './counters.ts';
import { inOrder, pageAfter, type Position, totalsOf } from './rules.ts';

export const agencyHandlers: AreaHandlers<'agency'> = {
  // Every page counts all sub-accounts anew: their order depends on all of them.
  'agency.overview': async ({ db, account, query, page, now }) => {
    const clients = inOrder(await countOverview(db, account.id, now));
    const { rows, next_cursor } = await page(async (after: Position | undefined, limit) => pageAfter(clients, after, limit));
    const shown = rows.map(({ client }) => client.shown);
    const last = await lastMessages(
      db,
      shown.map(({ account_id: id }) => id),
    );
    return {
      accounts: shown.map((each) => ({
        ...each,
        last_message_at: iso(last.get(each.account_id) ?? null),
        severity: severityOf(each),
      })),
      totals: query.cursor === undefined ? totalsOf(clients) : null,
      as_of: iso(now),
      next_cursor,
    };
  },
};
