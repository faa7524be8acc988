import type { ErrorCode, ErrorSource } from '../../../contract/areas/errors/codes.ts';
import type { EntityType } from '../../../contract/areas/notifications/entity-types.ts';
import type { NotificationKind } from '../../../contract/areas/notifications/kinds.ts';
import { instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** What the account is told. `seq` numbers them in the order in which they were committed, because the account is locked. */
export const notifications = table('notifications', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  kind: text<NotificationKind>(),
  title: text(),
  text: text(),
  /** Null for credits. */
  entity_type: text<EntityType>().nullable(),
  entity_id: text().nullable(),
  read_at: instant().nullable(),
  created_at: instant(),
});

/** What failed where no caller saw it. */
export const errorRecords = table('error_records', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  source: text<ErrorSource>(),
  code: text<ErrorCode>(),
  entity_type: text<EntityType>(),
  entity_id: text().nullable(),
  contact_id: text().nullable(),
  /** By what repetitions find it; null for records that do not count any. */
  repeat_key: text().nullable(),
  count: integer().default(1),
  first_at: instant(),
  last_at: instant(),
});

export type Notification = Row<typeof notifications>;

export type ErrorRecord = Row<typeof errorRecords>;

declare module '../../store/database.ts' {
  interface Database {
    notifications: StoredRow<typeof notifications>;
    error_records: StoredRow<typeof errorRecords>;
  }
}
