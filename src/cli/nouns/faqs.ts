import * as contract from '../../contract/areas/faqs/endpoints.ts';
import { generateFaqs } from '../../contract/areas/kb/endpoints.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { outOption } from '../verb/output-file.ts';
import type { Noun, Verb } from '../verb/noun.ts';
import { storagePathOption } from '../documents/stored-files.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { faqLookup } from '../lookups/faqs.ts';
import { campaignsField, withNamedFields } from '../lookups/named.ts';
import { importFormats } from '../rows/files/source.ts';
import { importOptions, mapOption } from '../rows/options.ts';
import { exportColumns, exportFormats } from './faqs/formats.ts';

const columns = ['id', 'question', 'answer', 'category', 'tags', 'is_active', 'usage_count', 'order_index', 'campaign_ids'] as const;

const faq = { param: 'faqId', name: 'faq', summary: 'the id or the question of a FAQ', lookup: faqLookup } as const;

const campaignSummary = 'the id or the name of a campaign';

const campaign = { field: 'campaign_id', name: 'campaign', summary: campaignSummary, lookup: campaignLookup } as const;

const ofCampaign = [{ field: 'campaign_id', flag: 'campaign', summary: campaignSummary, lookup: campaignLookup }] as const;

const chosen = [{ ...ofCampaign[0], summary: 'only FAQs of this campaign, by its id or its name' }, 'is_active'] as const;

const fields = [
  'category',
  'tags',
  { field: 'is_active', negative: 'keep the FAQ, but stop agents from using it' },
  { field: 'is_global', negative: 'do not mark the FAQ as global' },
  'order_index',
] as const;

const linked = { columns: ['faq_id', 'campaign_id'] } as const;

const deleteOne = deleteVerb({
  lookup: faqLookup,
  endpoint: contract.deleteFaq,
  examples: [
    ["msgctl faqs delete 'When do you open?'", 'asks for confirmation'],
    ['msgctl faqs delete faq_1 faq_2 --yes', 'several at once, without confirmation'],
  ],
  consequence: () => ' and its links to campaigns',
});

/** Deletes several FAQs with a single call. */
const deleteFaqs: Verb = {
  ...deleteOne,
  arguments: [
    { name: 'faq', summary: 'the id or the question of a FAQ; several are deleted at once', lookup: faqLookup, isRepeated: true },
  ],
  confirm: async (proposed) =>
    proposed.values.length === 1
      ? ((await deleteOne.confirm?.(proposed)) ?? null)
      : (await import('./faqs/delete.ts')).deletionQuestion(proposed.values),
  run: async (session, values, options) =>
    values.length === 1
      ? await deleteOne.run(session, values, options)
      : await (await import('./faqs/delete.ts')).deleteSeveral(session, faqLookup, values),
};

const queueCheck = callVerb({
  name: 'dedupe',
  endpoint: contract.dedupeFaqs,
  examples: [
    ['msgctl faqs dedupe --wait', 'merge the duplicates of every campaign, and list the merged FAQs'],
    ['msgctl faqs dedupe --propose', 'show which FAQs could be merged, and change nothing'],
    ['msgctl faqs dedupe --yes', 'in the background, without confirmation'],
  ],
  fields: [
    { field: 'sourceIds', flag: 'sources' },
    { field: 'propose', negative: 'merge the duplicates' },
  ],
  options: [{ flags: '--wait', summary: 'wait until the check ends, and show which FAQs were merged into which' }],
  confirm: ({ options: { sources, propose } }) =>
    propose === true
      ? null
      : `Merge the duplicate FAQs of ${sources === undefined ? 'every campaign' : 'these sources'}? Duplicates are FAQs whose questions and answers differ only in spelling. Of each set of duplicates, only the oldest is kept.`,
  shown: { columns: ['job_id'] },
});

/** The check merges FAQs in the background, unless `--wait` is used. */
const dedupe: Verb = {
  ...queueCheck,
  run: async (session, values, options) => {
    const start = async () => await queueCheck.run(session, values, options);
    if (options.propose === true) return await (await import('./faqs/dedupe.ts')).showProposals(session, start);
    if (options.wait) return await (await import('./faqs/dedupe.ts')).followCheck(session, start);
    const queued = await start();
    session.notes.say(
      'The check is queued and merges duplicates in the background. When it has finished, `msgctl faqs dismiss-dedupe` clears it.',
    );
    return queued;
  },
};

export const faqs: Noun = {
  name: 'faqs',
  verbs: [
    withNamedFields(
      callVerb({
        name: 'list',
        endpoint: contract.listFaqs,
        examples: [['msgctl faqs list --campaign Spring --all', 'every FAQ of a campaign']],
        fields: chosen,
        shown: { columns },
      }),
      [campaignsField],
    ),
    withNamedFields(
      callVerb({
        name: 'get',
        endpoint: contract.getFaq,
        examples: [["msgctl faqs get 'When do you open?'", 'show one FAQ, by its question or its id']],
        arguments: [faq],
        shown: { field: 'faq', columns: [...columns, 'is_global'] },
      }),
      [campaignsField],
    ),
    callVerb({
      name: 'create',
      endpoint: contract.createFaq,
      examples: [["msgctl faqs create Spring 'When do you open?' 'At nine.'", 'create a FAQ of a campaign']],
      arguments: [campaign, { field: 'question' }, { field: 'answer' }],
      fields,
      shown: { columns: ['faq_id'] },
    }),
    callVerb({
      name: 'update',
      endpoint: contract.updateFaq,
      examples: [["msgctl faqs update faq_1 --answer 'At ten.'", 'fields you omit keep their value']],
      arguments: [faq],
      fields: ['question', 'answer', ...fields],
      shown: { columns: ['faq_id'] },
    }),
    deleteFaqs,
    {
      name: 'import',
      summary:
        'Import FAQs into a campaign from a CSV, Excel, JSON, NDJSON, YAML or Markdown file; FAQs with an existing question are updated',
      examples: [
        ['msgctl faqs import faqs.csv --campaign Spring --dry-run', 'check each row first; nothing is imported'],
        ['msgctl faqs import faqs.md --campaign Spring', 'from a Markdown document'],
        ['msgctl faqs import faqs.csv --campaign Spring --rejects rejected.csv', 'exits 8 when rows were rejected'],
        ['msgctl faqs import - --format ndjson --campaign Spring < faqs.ndjson', 'from stdin'],
      ],
      arguments: [
        {
          name: 'file',
          summary: 'the file to import; `-` is stdin. Columns such as question and answer, Q and A, Title and Body are recognised',
          completes: 'file',
        },
      ],
      fields: ofCampaign,
      options: [mapOption('question, answer or category'), ...importOptions([...importFormats, 'md'])],
      endpoint: contract.importFaqs,
      takesInput: false,
      scope: 'one account',
      shown: { rows: 'rejected', columns: ['row', 'line', 'question', 'reason'] },
      run: async (session, values, options) => await (await import('./faqs/import.ts')).importFaqs(session, values, options, ofCampaign),
    },
    {
      name: 'export',
      isTool: false,
      summary: 'Export FAQs in their order, to stdout or to a file that can be imported again',
      examples: [
        ['msgctl faqs export --campaign Spring --out faqs.csv', 'the name of the file chooses the format'],
        ['msgctl faqs export --campaign Spring --format md', 'as a document to proofread'],
        ['msgctl faqs export -o json', 'every FAQ of the account, with all its fields'],
      ],
      fields: chosen,
      options: [
        {
          flags: '--format <format>',
          summary: 'the format (default: that of the file name or of -o, otherwise csv)',
          choices: exportFormats,
        },
        outOption,
      ],
      endpoint: contract.listFaqs,
      scope: 'one account',
      showsAnswer: true,
      shown: { rows: 'faqs', columns: exportColumns },
      run: async (session, _values, options) => await (await import('./faqs/export.ts')).exportFaqs(session, options, chosen),
    },
    callVerb({
      name: 'reorder',
      endpoint: contract.reorderFaqs,
      examples: [
        ["msgctl faqs reorder Spring 'Where are you?' 'When do you open?'", 'name every FAQ of the campaign'],
        ['msgctl faqs reorder Spring @faqs.csv', 'in the order of a file from `msgctl faqs export`'],
      ],
      arguments: [
        campaign,
        {
          field: 'ordered_faq_ids',
          name: 'faqs',
          summary: 'the ids or the questions of all FAQs of the campaign, in their new order; @file names a file with them',
          completes: faqLookup,
          isRepeated: true,
          takesFiles: true,
        },
      ],
      body: async ({ campaign_id, ordered_faq_ids: words, ...rest }, { session }) => {
        const id = campaign_id ?? (session.input.campaign_id as string | undefined);
        if (!words || id === undefined) return { campaign_id, ordered_faq_ids: words, ...rest };
        const { readOrder } = await import('./faqs/order.ts');
        return { campaign_id, ordered_faq_ids: await readOrder(session, id, words) };
      },
      shown: { columns: [] },
      done: (_answer, [id]) => `Set the order of the FAQs of the campaign${id === undefined ? '' : ` ${id}`}.`,
    }),
    callVerb({
      name: 'link',
      endpoint: contract.linkFaq,
      examples: [["msgctl faqs link 'When do you open?' Spring", 'link a FAQ to a campaign']],
      arguments: [faq, campaign],
      shown: linked,
    }),
    callVerb({
      name: 'unlink',
      endpoint: contract.unlinkFaq,
      examples: [["msgctl faqs unlink 'When do you open?' Spring", 'the FAQ is kept']],
      arguments: [faq, campaign],
      shown: linked,
    }),
    callVerb({
      name: 'fork',
      endpoint: contract.forkFaq,
      examples: [["msgctl faqs fork faq_1 Spring 'When do you open?' 'At ten.'", 'give a campaign its own copy']],
      arguments: [faq, campaign, { field: 'question' }, { field: 'answer' }],
      shown: { columns: ['faq_id', 'campaign_id', 'original_faq_id'] },
    }),
    callVerb({
      name: 'rebuild',
      endpoint: contract.rebuildFaq,
      examples: [['msgctl faqs rebuild faq_1', 'rebuild its search data']],
      arguments: [faq],
      shown: { columns: ['faq_id', 'status'] },
      done: (_answer, [word]) => `The search data of the FAQ ${word} is being rebuilt in the background. Until then, the old data is used.`,
    }),
    {
      name: 'generate',
      summary: generateFaqs.summary,
      examples: [
        ['msgctl faqs generate Spring manual.pdf prices.xlsx', 'from local files, on a sandbox'],
        ['msgctl faqs generate Spring --storage-path users/acc_1/uploads/upl_1/manual.pdf', 'a document in the storage of the account'],
      ],
      arguments: [
        { name: 'campaign', summary: campaignSummary, lookup: campaignLookup, fills: ['campaign_id'] },
        { name: 'documents', summary: 'local documents', completes: 'file', isRepeated: true, isOptional: true },
      ],
      options: [storagePathOption, { flags: '--wait', summary: 'wait until the FAQs are drafted; exits 8 if a document gave none' }],
      endpoint: generateFaqs,
      takesInput: false,
      scope: 'one account',
      shown: { columns: ['job_id'] },
      run: async (session, values, options) => await (await import('./faqs/generate.ts')).generate(session, values, options),
    },
    dedupe,
    callVerb({
      name: 'dismiss-dedupe',
      endpoint: contract.dismissDedupe,
      examples: [['msgctl faqs dismiss-dedupe', 'clear a finished check']],
      shown: { columns: [] },
      done: () => 'Cleared the finished duplicate check.',
    }),
  ],
};
