import type { AreaHandlers } from '../../http/handler.ts';
import { recount } from '../analytics/recount.ts';

/** The counters of analytics. */
export const countHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.rebuildCounts'> = {
  'sandbox.rebuildCounts': async ({ service: { store } }) => {
    const accounts = await store.read((db) => db.selectFrom('accounts').select('id').where('deleted_at', 'is', null).execute());
    let changed = 0;
    for (const { id } of accounts) changed += await store.write((db) => recount(db, id), { accounts: [id] });
    return { changed };
  },
};
