import type { Client } from '../../../client/client.ts';
import { InterfaceError, lacksEndpoint } from '../../../client/errors.ts';
import { getPairingStatus, listChannels } from '../../../contract/areas/channels/endpoints.ts';
import { readDisconnected } from '../../channels/disconnected.ts';
import type { Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';
import type { Session } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';

/** Shows the status of a chatapp-web number, since when it is so, and how to connect it. */
export async function showStatus(session: Session, number: string): Promise<Result> {
  const client = await session.targets.client();
  const answer = await client.call(getPairingStatus, { params: { phoneNumber: number } });
  const { status } = answer;
  // As the channels of the account have it, however it was typed.
  const identity = `+${number.replaceAll(/\D/g, '')}`;
  const since = await sinceWhen(client, identity, status);
  if (status === 'disconnected' || status === 'not_initialized')
    session.notes.say(
      `\`msgctl channels pair ${shellWord(identity)}${sameTarget(session)}\` connects it${status === 'disconnected' ? ' again' : ''}.`,
    );
  return { kind: 'record', answer: { ...answer, since }, record: { phone_number: identity, status, since } };
}

/** Since when a number is connected or disconnected; null where nothing tells. */
async function sinceWhen(client: Client, number: string, status: string): Promise<string | null> {
  try {
    if (status === 'disconnected') {
      const { rows } = await readDisconnected(client);
      return rows.find(({ channel, identity }) => channel === 'chatapp_web' && identity === number)?.since ?? null;
    }
    if (status !== 'connected' && status !== 'open') return null;
    const channels = await client.all(listChannels, {});
    return channels.find(({ channel, identity }) => channel === 'chatapp_web' && identity === number)?.connected_at ?? null;
  } catch (error) {
    if (lacksEndpoint(error) || (error instanceof InterfaceError && error.status === 403)) return null;
    throw error;
  }
}
