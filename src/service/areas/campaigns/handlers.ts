import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deleteRecord, getRecord, listRecords } from '../../http/record-handlers.ts';
import { requireAgent } from '../agents/records.ts';
import { campaigns } from './table.ts';

export const campaignHandlers: AreaHandlers<'campaigns'> = {
  'campaigns.list': listRecords(campaigns, 'campaigns'),

  'campaigns.create': async ({ db, account, body, now }) => {
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    return { campaign: campaigns.show(await campaigns.create(db, account.id, campaigns.read(body), now)) };
  },

  'campaigns.get': getRecord(campaigns, 'campaign'),

  'campaigns.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    await campaigns.require(db, account.id, params.id);
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    return { campaign: campaigns.show(await campaigns.change(db, account.id, params.id, campaigns.read(body), now)) };
  },

  'campaigns.delete': deleteRecord(campaigns),
};
