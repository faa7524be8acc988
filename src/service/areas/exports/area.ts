import type { Area } from '../../area.ts';
import { discardingFiles } from './files.ts';
import { exportHandlers } from './handlers.ts';
import { chatExport, exportFailpoints } from './job.ts';

/** Exports of chat sessions. */
export const exportArea = {
  handlers: exportHandlers,
  jobs: { chat_export: chatExport },
  failpoints: exportFailpoints,
  rows: [{ table: 'chat_export_parts', atOnce: 8 }, { table: 'chat_exports' }],
  maintenance: [discardingFiles],
} satisfies Area;
