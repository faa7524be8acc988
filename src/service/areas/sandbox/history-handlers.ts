import type { Body } from '../../../contract/endpoint.ts';
import type { fillHistory } from '../../../contract/areas/sandbox/store.ts';
import { readNow } from '../../clock/state.ts';
import { notFound } from '../../errors.ts';
import type { AreaHandlers, Service } from '../../http/handler.ts';
import { Semaphore } from '../../flow/shares.ts';

/** Histories are generated one at a time: together they would take the same slots, and repeat their steps. */
const histories = new Semaphore(1);

/** The handler that generates a fictional history. */
export const historyHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.demo'> = {
  'sandbox.demo': ({ service, body }) => histories.run(() => makeHistory(service, body)),
};

async function makeHistory(service: Service, body: Body<typeof fillHistory>) {
  const now = await service.store.read((db) => readNow(db, service.realNow()));
  const first = await service.store.read((db) =>
    db.selectFrom('accounts').select('id').where('parent_id', 'is', null).where('deleted_at', 'is', null).orderBy('seq').executeTakeFirst(),
  );
  if (!first) throw notFound('account');
  const { defaultHistory, writeHistory } = await import('./history/history.ts');
  const { seed, ...plan } = { ...defaultHistory, ...body };
  return await writeHistory(service, first.id, { ...plan, now }, seed);
}
