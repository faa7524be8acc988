import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, searchHandler } from '../../http/handler.ts';
import { getRecord } from '../../http/record-handlers.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { contacts } from '../contacts/table.ts';
import { countDeal } from '../pipelines/records.ts';
import { pipelines, stages } from '../pipelines/table.ts';
import { listDeals } from './list.ts';
import { createDeal, updateDeal } from './records.ts';
import { deals } from './table.ts';

/** Rows deleted along with a deal. */
const dependents = [
  { table: 'notes', column: 'entity_id', isUnreferenced: true },
  { table: 'status_changes', column: 'entity_id', isUnreferenced: true },
];

export const dealHandlers: AreaHandlers<'deals'> = {
  'deals.list': searchHandler(
    async ({ service, account, query, page }) => {
      const { limit: _, cursor: __, ...filters } = query;
      await service.store.read(async (db) => {
        if (filters.pipeline_id !== undefined) await pipelines.require(db, account.id, filters.pipeline_id);
        if (filters.stage_id !== undefined) await stages.require(db, account.id, filters.stage_id);
        if (filters.contact_id !== undefined) await contacts.require(db, account.id, filters.contact_id);
      });
      return await page((before, limit) => listDeals(service, account.id, filters, before, limit));
    },
    async (_, { rows, next_cursor }) => ({ deals: rows.map((row) => deals.show(row)), next_cursor }),
  ),

  'deals.create': async ({ db, account, body, now }) => ({ deal: deals.show(await createDeal(db, account.id, body, now)) }),

  'deals.get': getRecord(deals, 'deal'),

  'deals.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    const before = await deals.require(db, account.id, params.id);
    return { deal: deals.show(await updateDeal(db, before, body, now)) };
  },

  'deals.delete': async ({ db, account, params, now }) => {
    const { stage_id: stage } = await deals.require(db, account.id, params.id);
    await countDeal(db, stage, -1);
    await deleteWithDependents(db, deals, dependents, account.id, params.id, now);
    return {};
  },
};
