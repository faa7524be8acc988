import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { instant, integer, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

export const channels = table('channels', {
  seq: integer().default(0).internal(),
  id: text().internal(),
  account_id: text().internal(),
  channel: text<ChannelName>(),
  identity: text(),
  name: text().nullable(),
  status: text<'connected' | 'disconnected'>(),
  connected_at: instant().nullable(),
  /** The id of the current connection. Each connection is charged monthly. */
  connection: text().nullable().internal(),
});

/** The pairing codes of chatapp-web numbers that have not been scanned yet. */
export const pairings = table('pairings', {
  account_id: text(),
  phone_number: text(),
  code: text(),
  expires_at: instant(),
});

export type PairingAttempt = Row<typeof pairings>;

declare module '../../store/database.ts' {
  interface Database {
    channels: StoredRow<typeof channels>;
    pairings: StoredRow<typeof pairings>;
  }
}
