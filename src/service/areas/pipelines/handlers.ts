import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { createPipeline, pipelineRecord, pipelineRecords, stagesOf, updatePipeline } from './records.ts';
import { checkWithoutDeals } from './rules.ts';
import { pipelines } from './table.ts';

export const pipelineHandlers: AreaHandlers<'pipelines'> = {
  'pipelines.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => pipelines.list(db, account.id, before, limit));
    return { pipelines: await pipelineRecords(db, rows), next_cursor };
  },

  'pipelines.create': async ({ db, account, body, now }) => ({
    pipeline: await pipelineRecord(db, await createPipeline(db, account.id, body, now)),
  }),

  'pipelines.get': async ({ db, account, params }) => ({
    pipeline: await pipelineRecord(db, await pipelines.require(db, account.id, params.id)),
  }),

  'pipelines.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { pipeline: await pipelineRecord(db, await updatePipeline(db, account.id, params.id, body, now)) };
  },

  'pipelines.delete': async ({ db, account, params }) => {
    const { id } = await pipelines.require(db, account.id, params.id);
    checkWithoutDeals(await stagesOf(db, id), 'be deleted');
    await pipelines.delete(db, account.id, id);
    return {};
  },
};
