import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { requireAgent } from '../agents/records.ts';
import { campaigns } from './table.ts';

export const campaignHandlers: AreaHandlers<'campaigns'> = {
  'campaigns.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => campaigns.list(db, account.id, before, limit));
    return { campaigns: rows.map(campaigns.show), next_cursor };
  },

  'campaigns.create': async ({ db, account, body, now }) => {
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    return { campaign: campaigns.show(await campaigns.create(db, account.id, campaigns.read(body), now)) };
  },

  'campaigns.get': async ({ db, account, params }) => ({
    campaign: campaigns.show(await campaigns.require(db, account.id, params.id)),
  }),

  'campaigns.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    await campaigns.require(db, account.id, params.id);
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    return { campaign: campaigns.show(await campaigns.change(db, account.id, params.id, campaigns.read(body), now)) };
  },

  'campaigns.delete': async ({ db, account, params }) => {
    await campaigns.delete(db, account.id, params.id);
    return {};
  },
};
