import type { AreaHandlers } from '../../http/handler.ts';
import { Semaphore } from '../../flow/shares.ts';
import { sum } from '../../../contract/sum.ts';
import { recount } from '../analytics/recount/recount.ts';

/** A rebuild keeps a database connection busy for long, so a process runs one at a time. */
const rebuilds = new Semaphore(1);

/** The handler that rebuilds the counters for analytics. */
export const countHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.rebuildCounts'> = {
  'sandbox.rebuildCounts': ({ service }) =>
    rebuilds.run(async () => {
      const accounts = await service.store.read((db) => db.selectFrom('accounts').select('id').where('deleted_at', 'is', null).execute());
      const byCounter = { daily: 0, hourly: 0, ledger: 0, calls: 0, countries: 0, contacts: 0 };
      for (const { id } of accounts)
        await recount(service, id, (counted, changed) => {
          byCounter[counted] += changed;
        });
      return { changed: sum(Object.values(byCounter)), by_counter: byCounter };
    }),
};
