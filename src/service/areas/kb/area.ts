import { kbDelete } from './deletion.ts';
import { faqGenerate } from './generate-job.ts';
import { kbHandlers } from './handlers.ts';
import { kbImport } from './import-job.ts';
import { kbRefresh } from './refresh-job.ts';
import type { Area } from '../../area.ts';

/** The knowledge base: documents and websites. */
export const kbArea = {
  handlers: kbHandlers,
  jobs: { faq_generate: faqGenerate, kb_delete: kbDelete, kb_import: kbImport, kb_refresh: kbRefresh },
  rows: [
    {
      table: 'kb_sources',
      dependents: [
        { table: 'agent_sources', column: 'source_id' },
        { table: 'faq_sources', column: 'source_id' },
        { table: 'kb_texts', column: 'source_id' },
      ],
    },
    { table: 'kb_refreshes' },
    { table: 'kb_import_sessions' },
  ],
} satisfies Area;
