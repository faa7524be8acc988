import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { ExportFormat, ExportStatus } from '../../../contract/areas/exports/endpoints.ts';
import { accountTable } from '../../store/account-table.ts';
import { instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** How far the file of an export is written: up to a session, or a message of it. */
export interface ExportPosition {
  /** The start and the `seq` of the last session that the file has; 0 for none. */
  readonly startedAt: number;
  readonly session: number;
  /** The `seq` of the last message of a session that is not complete, 0 before its first; null when it is complete. */
  readonly message: number | null;
  /** Whether the file has its end. */
  readonly isComplete: boolean;
}

/** Where the file of an export begins. */
export const beginning: ExportPosition = { startedAt: 0, session: 0, message: null, isComplete: false };

/** Exports of chat sessions. */
export const chatExports = accountTable(
  'chat_exports',
  { prefix: 'exp', record: 'chat_export' },
  {
    /** An export that is ready expires by the clock: see `statusOf`. */
    status: text<ExportStatus>(),
    from_day: text(),
    to_day: text(),
    format: text<ExportFormat>(),
    contact_ids: json<readonly string[]>().nullable(),
    tag_id: text().nullable(),
    agent_id: text().nullable(),
    channel: text<ChannelName>().nullable(),
    sessions: integer().default(0),
    messages: integer().default(0),
    bytes: integer().default(0),
    /** The number of parts that the file has so far. */
    parts: integer().default(0),
    position: json<ExportPosition>().default(beginning),
    sha256: text().nullable(),
    expires_at: instant().nullable(),
    error_message: text().nullable(),
  },
);

/** The parts of files. */
export const exportParts = table('chat_export_parts', {
  seq: integer().default(0),
  account_id: text(),
  export_id: text(),
  number: integer(),
  content: text(),
});

/** The exports whose parts are to be deleted. */
export const discardedExports = table('discarded_exports', { export_id: text(), account_id: text() });

export type ChatExport = Row<typeof chatExports>;

declare module '../../store/database.ts' {
  interface Database {
    chat_exports: StoredRow<typeof chatExports>;
    chat_export_parts: StoredRow<typeof exportParts>;
    discarded_exports: StoredRow<typeof discardedExports>;
  }
}
