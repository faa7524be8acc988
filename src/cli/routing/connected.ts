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
  const connected: Connected[] = [];
  for await (const { rows } of client.pages(listChannels, {}, undefined))
    for (const { channel, identity, status } of rows as unknown as readonly (Connected & { status: string })[])
      if (status === 'connected') connected.push({ channel, identity });
  return connected;
}
