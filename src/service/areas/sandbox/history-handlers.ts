import { notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { Places } from '../../places.ts';

/** Histories are made one after the other: each knows the slots that were taken before it began. */
const histories = new Places(1);

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
    return await histories.run(() => writeHistory(service, first.id, { ...plan, now }, seed));
  },
};
