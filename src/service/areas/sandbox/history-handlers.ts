import { notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';

/** The history that is made up. */
export const historyHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.demo'> = {
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
};
