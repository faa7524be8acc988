import type { AreaHandlers } from '../../http/handler.ts';
import { recount } from '../analytics/recount/recount.ts';

/** The counters that analytics reads. */
export const countHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.rebuildCounts'> = {
  'sandbox.rebuildCounts': async ({ service }) => {
    const accounts = await service.store.read((db) => db.selectFrom('accounts').select('id').where('deleted_at', 'is', null).execute());
    let changed = 0;
    for (const { id } of accounts) changed += await recount(service, id);
    return { changed };
  },
};
