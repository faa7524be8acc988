import type { Client } from '../../client/client.ts';
import { listChannels } from '../../contract/areas/channels/endpoints.ts';
import type { ChannelName } from '../../contract/areas/channels/names.ts';

/** A connected phone number or account. */
export interface Connected {
  readonly channel: ChannelName;
  readonly identity: string;
}

/** The connected phone numbers and accounts, newest first. */
export async function readConnected(client: Client): Promise<Connected[]> {
  const channels = await client.all(listChannels, {});
  return channels.flatMap(({ channel, identity, status }) => (status === 'connected' ? { channel, identity } : []));
}
