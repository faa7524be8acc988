import { checkNotEmpty } from '../../errors.ts';
import { type AreaHandlers, preparedHandler } from '../../http/handler.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { checkAddress } from '../../network/address-rules.ts';
import type { Db } from '../../store/database.ts';
import { requireAgent } from '../agents/records.ts';
import { tags } from '../tags/table.ts';
import { passOnAgent, releaseChannels } from './channels.ts';
import { campaigns } from './table.ts';
import { addTag, campaignRecord, campaignRecords, removeTag } from './tags.ts';

/** Removes the campaign from its templates, because it is being deleted. */
async function releaseTemplates(db: Db, accountId: string, campaignId: string): Promise<void> {
  await db
    .updateTable('templates')
    .set({ campaign_id: null })
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .execute();
}

/** Rows deleted along with a campaign: its links to FAQs, and its entries in the index. The FAQs themselves stay. */
const dependents = [
  { table: 'faq_links', column: 'campaign_id' },
  { table: 'campaign_tags', column: 'campaign_id' },
  { table: 'faq_terms', column: 'scope', isUnreferenced: true },
  { table: 'faq_words', column: 'scope', isUnreferenced: true },
  { table: 'faq_spellings', column: 'scope', isUnreferenced: true },
];

/** The handlers of the area. */
export const campaignHandlers: AreaHandlers<'campaigns'> = {
  'campaigns.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => campaigns.list(db, account.id, before, limit));
    return { campaigns: await campaignRecords(db, rows), next_cursor };
  },

  'campaigns.create': async ({ db, account, body, now }) => {
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    return { campaign: await campaignRecord(db, await campaigns.create(db, account.id, campaigns.read(body), now)) };
  },

  'campaigns.get': async ({ db, account, params }) => ({
    campaign: await campaignRecord(db, await campaigns.require(db, account.id, params.id)),
  }),

  'campaigns.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    await campaigns.require(db, account.id, params.id);
    if (body.agent_id) await requireAgent(db, account.id, body.agent_id);
    const campaign = await campaigns.change(db, account.id, params.id, campaigns.read(body), now);
    if (body.agent_id !== undefined) await passOnAgent(db, campaign);
    if (campaign.outgoing_only) await releaseChannels(db, account.id, campaign.id, now);
    return { campaign: await campaignRecord(db, campaign) };
  },

  'campaigns.delete': async ({ db, account, params, now }) => {
    await campaigns.require(db, account.id, params.id);
    await releaseChannels(db, account.id, params.id, now);
    await releaseTemplates(db, account.id, params.id);
    await deleteWithDependents(db, campaigns, dependents, account.id, params.id, now);
    return {};
  },

  'campaigns.addTag': preparedHandler(
    ({ body, service }) => checkAddress(body.webhook, 'webhook', service.outbound),
    async ({ db, account, params, body }) => {
      const campaign = await campaigns.require(db, account.id, params.id);
      const { id } = await tags.require(db, account.id, body.tag_id);
      await addTag(db, campaign.id, { tag_id: id, webhook: body.webhook });
      return {};
    },
  ),

  'campaigns.removeTag': async ({ db, account, params }) => {
    const campaign = await campaigns.require(db, account.id, params.id);
    await removeTag(db, campaign.id, params.tagId);
    return {};
  },
};
