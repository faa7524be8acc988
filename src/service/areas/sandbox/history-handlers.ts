import { notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';

/** The history that is made up. */
export const historyHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.demo'> = {
  'sandbox.demo': async ({ service, body, now }) => {
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
    const { usualHistory, writeHistory } = await import('./history/history.ts');
    const { seed, ...plan } = { ...usualHistory, ...body };
    return await writeHistory(service, first.id, { ...plan, now }, seed);
  },
};
