import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { campaigns } from '../campaigns/table.ts';
import { changeFaqs } from './changes.ts';
import { checkRecord, dismissDedupe, startDedupe } from './dedupe.ts';
import { importRows } from './importing.ts';
import { prepareLater } from './preparation.ts';
import {
  checkEachOnce,
  createFaqs,
  deleteFaqs,
  faqRecords,
  linkToCampaign,
  listFaqs,
  orderFaqs,
  requireFaqAndCampaign,
  unlinkFaq,
} from './records.ts';
import { faqs } from './table.ts';

export const faqHandlers: AreaHandlers<'faqs'> = {
  'faqs.list': async ({ db, account, query, page }) => {
    const { campaign_id: campaignId, is_active: isActive } = query;
    if (campaignId !== undefined) await campaigns.require(db, account.id, campaignId);
    const { rows, next_cursor } = await page((before, limit) => listFaqs(db, account.id, campaignId, before, limit));
    // Filters each page after reading it, so pages can be short (rule faqs.5).
    const shown = rows.filter((row) => isActive === undefined || row.is_active === isActive);
    return { faqs: await faqRecords(db, shown), next_cursor };
  },

  'faqs.get': async ({ db, account, params }) => {
    const [faq] = await faqRecords(db, [await faqs.require(db, account.id, params.faqId)]);
    return { faq: faq as NonNullable<typeof faq> };
  },

  'faqs.create': async ({ db, account, body, now }) => {
    const { campaign_id: campaignId, ...fields } = body;
    await campaigns.require(db, account.id, campaignId);
    const [id] = await createFaqs(db, account.id, campaignId, [faqs.read(fields)], now);
    await prepareLater(db, account.id, [], now);
    return { faq_id: id as string };
  },

  'faqs.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    const faq = await faqs.require(db, account.id, params.faqId);
    await changeFaqs(db, [{ faq, change: faqs.read(body) }], now);
    await prepareLater(db, account.id, [], now);
    return { faq_id: faq.id };
  },

  'faqs.delete': async ({ db, account, params, query, now }) => {
    if (query.campaign_id !== undefined) await campaigns.require(db, account.id, query.campaign_id);
    const { id, seq } = await faqs.require(db, account.id, params.faqId);
    await faqs.delete(db, account.id, id);
    await prepareLater(db, account.id, [seq], now);
    return {};
  },

  'faqs.deleteMany': async ({ db, account, body, now }) => {
    if (body.campaign_id !== undefined) await campaigns.require(db, account.id, body.campaign_id);
    const deleted = await deleteFaqs(db, account.id, body.faq_ids);
    if (deleted.length > 0) await prepareLater(db, account.id, deleted, now);
    return { deleted_count: deleted.length };
  },

  'faqs.import': async ({ db, account, body, now }) => {
    await campaigns.require(db, account.id, body.campaign_id);
    const ids = await importRows(db, account.id, body.campaign_id, body.faqs, now);
    await prepareLater(db, account.id, [], now);
    return { faq_ids: ids, imported_count: body.faqs.length };
  },

  'faqs.reorder': async ({ db, account, body, now }) => {
    checkEachOnce(body.ordered_faq_ids);
    await campaigns.require(db, account.id, body.campaign_id);
    await orderFaqs(db, body.campaign_id, body.ordered_faq_ids, now);
    return {};
  },

  'faqs.link': async ({ db, account, params, body, now }) => {
    const { id, seq } = await requireFaqAndCampaign(db, account.id, params.faqId, body.campaign_id);
    await linkToCampaign(db, body.campaign_id, seq);
    await prepareLater(db, account.id, [seq], now);
    return { faq_id: id, campaign_id: body.campaign_id };
  },

  'faqs.unlink': async ({ db, account, params, body, now }) => {
    const { id, seq } = await requireFaqAndCampaign(db, account.id, params.faqId, body.campaign_id);
    await unlinkFaq(db, body.campaign_id, seq);
    await prepareLater(db, account.id, [seq], now);
    return { faq_id: id, campaign_id: body.campaign_id };
  },

  'faqs.rebuild': async ({ db, account, params, now }) => {
    const { id, seq } = await faqs.require(db, account.id, params.faqId);
    await prepareLater(db, account.id, [seq], now);
    return { faq_id: id, status: 'processing' };
  },

  'faqs.fork': async ({ db, account, params, body, now }) => {
    const { campaign_id: campaignId, ...texts } = body;
    const original = await requireFaqAndCampaign(db, account.id, params.faqId, campaignId);
    const { category, tags, is_active, is_global, order_index } = original;
    const [id] = await createFaqs(db, account.id, campaignId, [{ ...texts, category, tags, is_active, is_global, order_index }], now);
    await unlinkFaq(db, campaignId, original.seq);
    await prepareLater(db, account.id, [original.seq], now);
    return { faq_id: id as string, campaign_id: campaignId, original_faq_id: original.id };
  },

  'faqs.dedupe': async ({ db, account, body, now }) => ({ job_id: await startDedupe(db, account.id, body, now) }),

  'faqs.getDedupe': async ({ db, account }) => ({ job: await checkRecord(db, account.id) }),

  'faqs.dismissDedupe': async ({ db, account }) => {
    await dismissDedupe(db, account.id);
    return {};
  },
};
