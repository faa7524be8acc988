import * as z from 'zod';
import { deleteFaq, getFaq, importFaqs, linkFaq, listFaqs, unlinkFaq, updateFaq } from '../../contract/areas/faqs/endpoints.ts';
import { comparedQuestion } from '../../contract/areas/faqs/question.ts';
import { limits } from '../../contract/limits.ts';
import { fieldsOfRow } from './rows.ts';
import type { Kind } from '../kind.ts';
import { once, reference, requestFields } from './schema.ts';

const requested = once(() => requestFields(updateFaq));

/** FAQs of campaigns. A FAQ that several campaigns share appears in each. FAQs of sources are data and left out. */
export const faqs: Kind = {
  name: 'faqs',
  noun: 'FAQ',
  schema: () => z.strictObject({ campaign: reference('the campaign'), ...requested() }),
  endpoints: [listFaqs, getFaq, importFaqs, updateFaq, deleteFaq, linkFaq, unlinkFaq],
  identity: {
    key: ['campaign', 'question'],
    fold: (text, field) => (field === 'question' ? comparedQuestion(text) : text),
    dividedBy: 'campaign',
  },
  references: {
    fields: { campaign: 'campaigns' },
    isDeletedWithReference: true,
  },
  reading: {
    list: (client) => client.all(listFaqs, {}),
    get: async (client, id) => (await client.call(getFaq, { params: { faqId: id } })).faq,
    listNear: ({ client, fields: { campaign }, idOf }) =>
      client.all(listFaqs, { query: { campaign_id: idOf('campaigns', campaign as string) } }),
    // FAQs of sources are data, not configuration.
    leavesOut: ({ tags, campaign_ids: campaigns }, rows) => {
      if (!Array.isArray(campaigns) || campaigns.length === 0) return {};
      const addresses = new Set((rows.get('sources') ?? []).map(({ url }) => url));
      return Array.isArray(tags) && tags.some((tag) => addresses.has(tag)) ? {} : undefined;
    },
    recognisedBy: ['sources'],
    fields: (row, nameOf) =>
      ((row.campaign_ids ?? []) as string[]).map((id) => ({
        campaign: nameOf('campaigns', id),
        ...fieldsOfRow(row, Object.keys(requested())),
      })),
  },
  writing: {
    step: 4,
    required: () => ['answer'],
    create: async ({ client, fields: { campaign, ...faq }, idOf, id }) => {
      if (id !== undefined) {
        await client.call(linkFaq, { params: { faqId: id }, body: { campaign_id: idOf('campaigns', campaign as string) } });
        return { id };
      }
      const body = { campaign_id: idOf('campaigns', campaign as string), faqs: [faq as { question: string; answer: string }] };
      return { id: (await client.call(importFaqs, { body })).faq_ids[0] ?? '' };
    },
    many: {
      // An import finds FAQs by their question, so it cannot change a question.
      group: ({ campaign }, { question, answer, campaign: moved }) =>
        answer !== undefined && (question === undefined) === (moved === undefined) ? String(campaign) : undefined,
      most: limits.faqBulk,
      write: async ({ client, idOf, records }) => {
        const faqs = records.map(({ campaign: _, ...faq }) => faq as { question: string; answer: string });
        await client.call(importFaqs, { body: { campaign_id: idOf('campaigns', records[0]?.campaign as string), faqs } });
      },
    },
    update: async ({ client, fields: { campaign, ...faq }, idOf, live: { id, row } }) => {
      if (typeof campaign === 'string') {
        const target = idOf('campaigns', campaign);
        await client.call(linkFaq, { params: { faqId: id }, body: { campaign_id: target } });
        for (const other of (row.campaign_ids ?? []) as string[])
          if (other !== target) await client.call(unlinkFaq, { params: { faqId: id }, body: { campaign_id: other } });
      }
      if (Object.keys(faq).length > 0) await client.call(updateFaq, { params: { faqId: id }, body: faq });
      return undefined;
    },
    remove: async ({ client, idOf, live: { id, row, fields } }) => {
      // A shared FAQ is only unlinked, so that other campaigns keep it.
      if (Array.isArray(row.campaign_ids) && row.campaign_ids.length > 1)
        await client.call(unlinkFaq, { params: { faqId: id }, body: { campaign_id: idOf('campaigns', fields.campaign as string) } });
      else await client.call(deleteFaq, { params: { faqId: id } });
    },
  },
};
