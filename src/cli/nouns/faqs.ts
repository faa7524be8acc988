import * as contract from '../../contract/areas/faqs/endpoints.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb } from '../command/call-verb.ts';
import { deleteVerb } from '../command/delete-verb.ts';
import type { Noun } from '../command/noun.ts';
import { campaignLookup } from '../lookups/campaigns.ts';

const columns = ['id', 'question', 'answer', 'category', 'tags', 'is_active', 'usage_count', 'order_index', 'campaign_ids'] as const;

const faqLookup = lookup(contract.listFaqs, 'faqs', 'question', { what: 'FAQ', get: contract.getFaq });

const faq = { param: 'faqId', name: 'faq', summary: 'the id or the question of a FAQ', lookup: faqLookup } as const;

const several = {
  field: 'faq_ids',
  name: 'faqs',
  summary: 'the ids or the questions of FAQs',
  lookup: faqLookup,
  isRepeated: true,
} as const;

const campaign = { field: 'campaign_id', name: 'campaign', lookup: campaignLookup } as const;

const fields = ['category', 'tags', 'is_active', 'is_global', 'order_index'] as const;

const linked = { columns: ['faq_id', 'campaign_id'] } as const;

export const faqs: Noun = {
  name: 'faqs',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listFaqs,
      examples: [['msgctl faqs list --campaign cmp_1 --all', 'every FAQ of a campaign']],
      fields: [{ field: 'campaign_id', flag: 'campaign' }, 'is_active'],
      shown: { columns },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getFaq,
      examples: [['msgctl faqs get faq_1', 'show one FAQ']],
      arguments: [faq],
      shown: { field: 'faq', columns },
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createFaq,
      examples: [["msgctl faqs create cmp_1 'When do you open?' 'At nine.'", 'create a FAQ of a campaign']],
      arguments: [campaign, { field: 'question' }, { field: 'answer' }],
      fields,
      shown: { columns: ['faq_id'] },
    }),
    callVerb({
      name: 'update',
      endpoint: contract.updateFaq,
      examples: [["msgctl faqs update faq_1 --answer 'At ten.'", 'fields you leave out keep their value']],
      arguments: [faq],
      fields: ['question', 'answer', ...fields],
      shown: { columns: ['faq_id'] },
    }),
    deleteVerb({
      lookup: faqLookup,
      endpoint: contract.deleteFaq,
      examples: [['msgctl faqs delete faq_1 --yes', 'skip the confirmation']],
      consequence: () => ' and its links to campaigns',
    }),
    callVerb({
      name: 'delete-many',
      endpoint: contract.deleteFaqs,
      examples: [['msgctl faqs delete-many faq_1 faq_2 --yes', 'delete several FAQs']],
      arguments: [several],
      confirm: (given) => `Delete ${given.length} FAQs?`,
      shown: { columns: ['deleted_count'] },
    }),
    callVerb({
      name: 'import',
      endpoint: contract.importFaqs,
      examples: [['msgctl faqs import cmp_1 --input faqs.json', 'from a file with the field faqs']],
      arguments: [campaign],
      fields: ['faqs'],
      shown: { columns: ['imported_count', 'faq_ids'] },
    }),
    callVerb({
      name: 'reorder',
      endpoint: contract.reorderFaqs,
      examples: [['msgctl faqs reorder cmp_1 faq_2 faq_1', 'name every FAQ of the campaign']],
      arguments: [campaign, { ...several, field: 'ordered_faq_ids' }],
      shown: { columns: [] },
      done: (_answer, [id]) => `Set the order of the FAQs of the campaign ${id}.`,
    }),
    callVerb({
      name: 'link',
      endpoint: contract.linkFaq,
      examples: [['msgctl faqs link faq_1 cmp_1', 'link a FAQ to a campaign']],
      arguments: [faq, campaign],
      shown: linked,
    }),
    callVerb({
      name: 'unlink',
      endpoint: contract.unlinkFaq,
      examples: [['msgctl faqs unlink faq_1 cmp_1', 'the FAQ is kept']],
      arguments: [faq, campaign],
      shown: linked,
    }),
    callVerb({
      name: 'fork',
      endpoint: contract.forkFaq,
      examples: [["msgctl faqs fork faq_1 cmp_1 'When do you open?' 'At ten.'", 'a copy of its own for a campaign']],
      arguments: [faq, campaign, { field: 'question' }, { field: 'answer' }],
      shown: { columns: ['faq_id', 'campaign_id', 'original_faq_id'] },
    }),
    callVerb({
      name: 'rebuild',
      endpoint: contract.rebuildFaq,
      examples: [['msgctl faqs rebuild faq_1', 'prepare its search data again']],
      arguments: [faq],
      shown: { columns: ['faq_id', 'status'] },
    }),
    callVerb({
      name: 'dedupe',
      endpoint: contract.dedupeFaqs,
      examples: [['msgctl faqs dedupe', 'merge duplicates of every campaign in the background']],
      fields: [{ field: 'sourceIds', flag: 'sources' }],
      shown: { columns: ['job_id'] },
    }),
    callVerb({
      name: 'dismiss-dedupe',
      endpoint: contract.dismissDedupe,
      examples: [['msgctl faqs dismiss-dedupe', 'clear a finished check']],
      shown: { columns: [] },
      done: () => 'Cleared the finished duplicate check.',
    }),
  ],
};
