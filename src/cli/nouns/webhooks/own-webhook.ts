import { connect } from 'node:net';
import { hostname } from 'node:os';
import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '../../../contract/areas/webhooks/endpoints.ts';
import { eventNames, neverEmitted } from '../../../contract/areas/webhooks/event-names.ts';
import type { Session } from '../../verb/noun.ts';
import type { CliError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { eventsOf } from './event-words.ts';

// The webhook that a listener creates for itself and removes when it ends.

/** The prefix of the name of a listener's webhook. The process id and host follow, so that orphans can be found. */
const namePrefix = 'msgctl listen ';

/** Removes the webhooks of listeners that were killed. */
export async function removeOrphans({ targets }: Session): Promise<void> {
  const client = await targets.client();
  const { webhooks } = await client.call(listWebhooks, {});
  for (const webhook of webhooks) if (await isOrphaned(webhook)) await remove(client, webhook.name);
}

/**
 * Creates the webhook of a listener.
 * @returns the signing secret, and a function that removes the webhook
 * @throws CliError 1 if the service does not deliver to private addresses
 */
export async function subscribe(session: Session, url: string, events: string[] | undefined) {
  const client = await session.targets.client();
  const name = `${namePrefix}${process.pid} on ${hostname()}`;
  const subscribed_to = events ? await eventsOf(events, session) : eventNames.filter((event) => event !== neverEmitted);
  const body = { url, name, subscribed_to: subscribed_to as never, generate_signing_secret: true, retries_enabled: true };
  const { signing_secret: secret } = await client.call(createWebhook, { body }).catch((error: unknown) => {
    throw error instanceof InterfaceError && error.field === 'url' ? refusedAddressError(error, client.target) : error;
  });
  return {
    secret: secret ?? null,
    remove: () => remove(client, name),
  };
}

/** The error for the address of a listener, which is always a private one. */
function refusedAddressError(error: InterfaceError, service: string): CliError {
  return toCliError(error).with({
    message: `${service} does not deliver to private addresses, such as that of this listener`,
    hint: 'Start the server with `msgctl serve --allow-private-receivers`.',
  });
}

/** Removes a webhook, if it still exists. */
async function remove(client: Client, name: string): Promise<void> {
  await client.call(deleteWebhook, { params: { webhookId: name } }).catch((error: unknown) => {
    if (!(error instanceof InterfaceError && error.status === 404)) throw error;
  });
}

/** Whether a webhook belongs to a listener on this machine that is no longer running. */
async function isOrphaned({ name, url }: { name: string; url: string }): Promise<boolean> {
  if (!name.startsWith(namePrefix) || !name.endsWith(` on ${hostname()}`)) return false;
  return await new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => resolve(false));
    socket.on('error', () => resolve(true));
    socket.on('connect', () => socket.destroy());
  });
}
