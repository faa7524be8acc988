import type { AreaHandlers } from '../../http/handler.ts';
import { notFound } from '../../errors.ts';
import { recount } from '../analytics/recount.ts';

/** The history and the counters that analytics reads. */
export const countHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.demo' | 'sandbox.rebuildCounts'> = {
  'sandbox.demo': async ({ service, body: { messages = 10_000, days = 92, seed = 1 }, now }) => {
    const first = await service.store.read((db) =>
      db
        .selectFrom('accounts')
        .select('id')
        .where('parent_id', 'is', null)
        .where('deleted_at', 'is', null)
        .orderBy('seq')
        .executeTakeFirst(),
    );
    if (!first) throw notFound('Account');
    const { writeHistory } = await import('./history/history.ts');
    return await writeHistory(service, first.id, { messages, days, now }, seed);
  },

  'sandbox.rebuildCounts': async ({ service: { store } }) => {
    const accounts = await store.read((db) => db.selectFrom('accounts').select('id').where('deleted_at', 'is', null).execute());
    let changed = 0;
    for (const { id } of accounts) changed += await store.write((db) => recount(db, id), { accounts: [id] });
    return { changed };
  },
};
