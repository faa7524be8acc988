import * as contract from '../../contract/areas/kb/endpoints.ts';
import { askAgent } from '../../contract/areas/sandbox/conversations.ts';
import { modelTiers } from '../../contract/plan.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import type { Noun, OptionSpec, Verb } from '../verb/noun.ts';
import { agentLookup } from '../lookups/agents.ts';
import { campaignLookup } from '../lookups/campaigns.ts';
import { sourceLookup } from '../lookups/sources.ts';
import { parseCount } from '../verb/values.ts';
import { storagePathOption } from '../documents/stored-files.ts';
import { counted } from '../../contract/text/counted.ts';
import { gapVerbs } from './kb/gaps.ts';
import { groupVerbs } from './kb/groups.ts';
import { estimateColumns, importColumns, importTable, pageColumns } from './kb/columns.ts';

const source = { name: 'source', summary: 'the id, the address or the title of a source', lookup: sourceLookup } as const;

const deleteOneByOne = deleteVerb({
  lookup: sourceLookup,
  endpoint: contract.deleteSource,
  examples: [
    ['msgctl kb delete https://shop.example/old', 'asks for confirmation'],
    ['msgctl kb delete src_1 src_2 --delete-faqs --yes', 'with their FAQs, in the background'],
  ],
  options: [{ flags: '--delete-faqs', summary: 'also delete their FAQs' }],
  query: ({ deleteFaqs }) => ({ delete_faqs: deleteFaqs === true }),
  title: ({ url, title, id }) => `'${(url ?? title ?? id) as string}'`,
  consequence: (_row, { deleteFaqs }) => (deleteFaqs ? ' and all FAQs from it' : ' and keep its FAQs'),
  severalConsequence: ({ deleteFaqs }) => (deleteFaqs ? ' and all FAQs from them' : ' and keep their FAQs'),
  deletedToo: ({ faqs_deleted: faqs = 0 }) => (faqs === 0 ? '' : ` with ${counted(Number(faqs), 'FAQ')}`),
});

/** Deletes several sources and their FAQs with a single call. */
const deleteSources: Verb = {
  ...deleteOneByOne,
  summary: 'Delete sources; their FAQs are kept unless you pass --delete-faqs',
  arguments: [{ ...source, isRepeated: true }],
  run: async (session, values, options) =>
    options.deleteFaqs && values.length > 1
      ? await (await import('./kb/delete.ts')).deleteWithFaqs(session, values)
      : await deleteOneByOne.run(session, values, options),
};

const waitOption: OptionSpec = { flags: '--wait', summary: 'wait until it ends, with a progress bar; exits 8 if a part failed' };

const hostOption = { field: 'host', placeholder: 'host' } as const;

const maxPagesOption: OptionSpec = {
  flags: '--max-pages <number>',
  summary: 'find at most this many pages (default: as many as can wait for import)',
  parse: parseCount,
  fills: ['maxPages'],
};

export const kb: Noun = {
  name: 'kb',
  groups: { groups: 'Bundles of FAQs, applied to agents and campaigns', gaps: 'What agents could not answer' },
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listSources,
      examples: [
        ['msgctl kb list --status failed', 'the sources that could not be read'],
        ['msgctl kb list --agent Ada --all', 'all sources of an agent'],
      ],
      fields: ['status', hostOption, { field: 'agent_id', flag: 'agent', summary: 'only sources of this agent', lookup: agentLookup }],
      shown: {
        columns: [
          'source_id',
          'status',
          'url',
          'title',
          'faq_count',
          'storage_path',
          'agent_ids',
          'section_count',
          'refreshed_at',
          'created_at',
        ],
        // Users refer to a page by its URL, and to a document by its title.
        table: [
          'url',
          'title',
          'status',
          'faq_count',
          'refreshed_at',
          'source_id',
          'storage_path',
          'created_at',
          'section_count',
          'agent_ids',
        ],
      },
    }),
    callVerb({
      name: 'get',
      endpoint: contract.getSource,
      examples: [['msgctl kb get https://shop.example/faq', 'the state of a source, and why it failed']],
      arguments: [{ ...source, param: 'sourceId' }],
      shown: { columns: ['source_id', 'status', 'faq_count', 'section_count', 'error_message'] },
    }),
    {
      name: 'text',
      summary: contract.getSourceText.summary,
      examples: [['msgctl kb text https://shop.example/faq', 'what was read of a page, and how much of it was left out']],
      arguments: [source],
      endpoint: contract.getSourceText,
      takesInput: false,
      shown: { columns: ['source_id', 'title', 'kept', 'sections'] },
      run: async (session, [name = '']) => await (await import('./kb/text.ts')).showText(session, name),
    },
    {
      name: 'import',
      summary: 'Import web pages and documents; agents answer from the FAQs made from them',
      examples: [
        ['msgctl kb import https://shop.example/faq --agent Ada --wait', 'a page'],
        ['msgctl kb import https://shop.example --discover', 'find the pages of a website, and choose which to import'],
        ['msgctl kb import https://shop.example --recommended --estimate', 'what the recommended pages would cost'],
        ['msgctl kb import manual.pdf prices.xlsx --agent Ada', 'documents, on a sandbox'],
        ['msgctl kb import - < pages.txt', 'a list of addresses, one per line'],
      ],
      arguments: [
        {
          name: 'sources',
          summary: 'addresses and documents; `-` reads addresses from stdin, @file from a file',
          completes: 'file',
          isRepeated: true,
          isOptional: true,
          fills: ['url', 'urls'],
        },
      ],
      options: [
        { flags: '--agent <agent>', summary: 'the agent to attach the sources to, by its id or its name', completes: agentLookup },
        { flags: '--campaign <campaign>', summary: 'a campaign to link the FAQs to', completes: campaignLookup },
        { flags: '--discover', summary: 'find the pages of a website, and choose among them; needs a terminal' },
        { flags: '--recommended', summary: 'find the pages of a website, and import the recommended ones' },
        maxPagesOption,
        { flags: '--estimate', summary: 'only show the cost; exits 3 if there are not enough credits' },
        storagePathOption,
        waitOption,
      ],
      endpoint: contract.importPages,
      takesInput: false,
      scope: 'one account',
      shown: { rows: 'sources', columns: importColumns, table: importTable },
      run: async (session, values, options) => await (await import('./kb/import.ts')).importSources(session, values, options),
    },
    {
      name: 'discover',
      summary: 'Find the pages of a website and show which are worth importing; nothing is imported',
      examples: [
        ['msgctl kb discover https://shop.example', 'the pages, the best first'],
        ['msgctl kb discover https://shop.example --new -o csv', 'only those that are not in the knowledge base'],
      ],
      arguments: [{ name: 'url', summary: 'the address of the website', fills: ['url', 'baseUrl'] }],
      options: [{ flags: '--new', summary: 'only pages that are not in the knowledge base' }, maxPagesOption],
      endpoint: contract.discoverPages,
      takesInput: false,
      shown: { rows: 'pages', columns: pageColumns },
      run: async (session, [url = ''], options) => await (await import('./kb/discover.ts')).listPages(session, url, options),
    },
    {
      name: 'estimate',
      summary: 'Show what an import would cost; nothing is imported',
      examples: [['msgctl kb estimate https://shop.example/faq manual.pdf', 'exits 3 if there are not enough credits']],
      arguments: [{ name: 'sources', summary: 'same as for `msgctl kb import`', completes: 'file', isRepeated: true, isOptional: true }],
      options: [{ flags: '--tier <tier>', summary: 'the model tier (default: standard)', choices: modelTiers }, storagePathOption],
      endpoint: contract.estimateImport,
      takesInput: false,
      scope: 'one account',
      shown: { rows: 'estimates', columns: estimateColumns },
      run: async (session, values, options) => await (await import('./kb/estimate.ts')).estimateSelection(session, values, options),
    },
    {
      name: 'status',
      summary: 'Count the sources of each website by their states',
      examples: [
        ['msgctl kb status', 'all websites and documents'],
        ['msgctl kb status shop.example', 'one website, with its last refresh'],
      ],
      arguments: [{ name: 'host', summary: 'a website', fills: ['host', 'baseUrl'], isOptional: true }],
      endpoint: contract.listSources,
      watches: true,
      shown: {
        rows: 'websites',
        columns: ['host', 'sources', 'ready', 'failed', 'waiting', 'faqs', 'refresh', 'processing', 'other'],
      },
      run: async (session, [host]) => await (await import('./kb/status.ts')).status(session, host),
    },
    callVerb({
      name: 'cancel',
      endpoint: contract.cancelImport,
      examples: [['msgctl kb cancel --host shop.example', 'pages in progress are finished and charged']],
      fields: [hostOption],
      shown: { columns: ['cancelled', 'in_flight'] },
    }),
    callVerb({
      name: 'resume',
      endpoint: contract.resumeImport,
      examples: [['msgctl kb resume', 'after your AI key failed; shows what it may cost, and asks']],
      fields: [hostOption],
      confirm: async ({ session, options }) => await (await import('./kb/resume.ts')).askToResume(session, options),
      shown: { columns: ['resumed'] },
    }),
    {
      name: 'refresh',
      summary: 'Read sources again, or all pages of a website; unchanged pages cost nothing and keep their FAQs',
      examples: [
        ['msgctl kb refresh https://shop.example/faq --wait', 'one source'],
        ['msgctl kb refresh --host shop.example --wait', 'a whole website'],
      ],
      arguments: [{ ...source, isRepeated: true, isOptional: true }],
      options: [{ flags: '--host <host>', summary: 'all pages of this website', fills: ['baseUrl'] }, waitOption],
      endpoint: contract.refreshSource,
      scope: 'one account',
      shown: { rows: 'sources', columns: importColumns, table: importTable },
      run: async (session, values, options) => await (await import('./kb/refresh.ts')).refresh(session, values, options),
    },
    {
      name: 'cancel-refresh',
      summary: contract.cancelRefresh.summary,
      examples: [['msgctl kb cancel-refresh shop.example', 'pages that were already read keep their updates']],
      arguments: [{ name: 'host', summary: 'the website', fills: ['baseUrl'] }],
      endpoint: contract.cancelRefresh,
      takesInput: false,
      shown: { columns: ['status', 'cancelled_units', 'sources_reset', 'sources_cancelled'] },
      run: async (session, [host = '']) => await (await import('./kb/refresh.ts')).cancelRefreshOf(session, host),
    },
    deleteSources,
    {
      name: 'ask',
      summary: 'Show what an agent would answer and which FAQs it considered (sandbox only)',
      examples: [["msgctl kb ask Ada 'Do you ship abroad?'", 'the answer, the scores and the pages']],
      arguments: [
        { name: 'agent', summary: 'the id or the name of an agent', lookup: agentLookup },
        { name: 'question', fills: ['question'], summary: 'the question for the agent' },
      ],
      endpoint: askAgent,
      readsUnless: [],
      takesInput: false,
      shown: { columns: ['answer', 'source', 'faqs'] },
      run: async (session, values) => await (await import('./kb/ask.ts')).ask(session, values),
    },
    ...gapVerbs,
    ...groupVerbs,
  ],
};
