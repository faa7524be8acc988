import type { Client } from '../../client/client.ts';
import { InterfaceError, lacksEndpoint } from '../../client/errors.ts';
import { listChannels } from '../../contract/areas/channels/endpoints.ts';
import { listNotifications } from '../../contract/areas/notifications/endpoints.ts';
import { limits } from '../../contract/limits.ts';

/** A channel that was connected, and is no longer. */
export interface Disconnected {
  readonly channel: string;
  readonly identity: string;
  /** When its connection was lost; null when it was ended on purpose, or nothing tells. */
  readonly since: string | null;
}

/** Reads the disconnected channels of an account, and how many channels there are. */
export async function readDisconnected(client: Client): Promise<{ readonly total: number; readonly rows: readonly Disconnected[] }> {
  const channels = await client.all(listChannels, {});
  // A widget that somebody disabled is no trouble.
  const lost = channels.filter(({ channel, status }) => status === 'disconnected' && channel !== 'chat_widget');
  const since = lost.length === 0 ? new Map<string, string>() : await readLosses(client);
  const rows = lost.map(({ channel, identity, connected_at: connected }) => {
    const at = since.get(identity);
    // An older loss was before the number was connected anew.
    const isCurrent = at !== undefined && (connected === null || Date.parse(at) >= Date.parse(connected));
    return { channel, identity, since: isCurrent ? at : null };
  });
  return { total: channels.length, rows };
}

/** When the connection of each number was last lost, by the newest notifications of the account. */
async function readLosses(client: Client): Promise<Map<string, string>> {
  try {
    const losses = new Map<string, string>();
    for await (const { rows } of client.pages(listNotifications, { query: { kind: 'channel_disconnected' } }, limits.pageSizeMax))
      for (const { entity, created_at: at } of rows) if (entity?.id && !losses.has(entity.id)) losses.set(entity.id, at);
    return losses;
  } catch (error) {
    // The service may have no notifications, and the key may not read them.
    if (lacksEndpoint(error) || (error instanceof InterfaceError && error.status === 403)) return new Map();
    throw error;
  }
}
