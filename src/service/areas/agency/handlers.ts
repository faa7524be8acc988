import { severityOf } from '../../../contract/areas/agency/severity.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { countTroubles, showClients } from './counters.ts';
import { inOrder, pageAfter, type Position, totalsOf } from './rules.ts';

export const agencyHandlers: AreaHandlers<'agency'> = {
  // Every page reads the troubles of all sub-accounts anew: their order depends on them. The rest is read for the page alone.
  'agency.overview': async ({ db, account, query, page, now }) => {
    const clients = inOrder(await countTroubles(db, account.id, now));
    const { rows, next_cursor } = await page(async (after: Position | undefined, limit) => pageAfter(clients, after, limit));
    const shown = await showClients(
      db,
      rows.map(({ client }) => client),
    );
    return {
      accounts: shown.map((each) => ({ ...each, severity: severityOf(each) })),
      totals: query.cursor === undefined ? totalsOf(clients) : null,
      as_of: iso(now),
      next_cursor,
    };
  },
};
