import type { Client } from '../../../client/client.ts';
import { InterfaceError, lacksEndpoint } from '../../../client/errors.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { getBroadcast, listBroadcastContacts } from '../../../contract/areas/broadcasts/endpoints.ts';
import { getContact, listContacts } from '../../../contract/areas/contacts/endpoints.ts';
import { type BroadcastCode, broadcastCodes, textOfCode } from '../../../contract/areas/errors/codes.ts';
import { listErrors } from '../../../contract/areas/errors/endpoints.ts';
import { listMessages } from '../../../contract/areas/messages/endpoints.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import { type Contact, fullName } from '../../lookups/contacts.ts';
import type { Recipient } from './recipient.ts';

type Broadcast = Answer<typeof getBroadcast>['broadcast'];

const atOnce = 4;

/** How many of the newest messages of a contact are looked at. */
const messagesRead = 100;

/**
 * Computes the recipients of a broadcast for a service that does not list them: the contacts that it names now, with the messages that
 * they got. Replies and deleted contacts are not known.
 */
export async function computeRecipients(client: Client, id: string): Promise<Recipient[]> {
  const { broadcast } = await client.call(getBroadcast, { params: { id } });
  const hasBegun = ['Sending', 'Paused', 'Sent', 'Failed'].includes(broadcast.status);
  if (!hasBegun) return [];
  const contacts = await audienceOf(client, broadcast);
  const codes = await readCodes(client, id);
  const hasEnded = broadcast.status === 'Sent' || broadcast.status === 'Failed';
  return await inParallel(contacts, atOnce, async (contact) => {
    const message = await messageOf(client, broadcast, contact);
    const status = message ? statusOf(message.status) : hasEnded ? 'failed' : 'waiting';
    const code = status === 'failed' ? (codes.get(contact.id) ?? likelyCode(contact)) : null;
    return {
      contact_id: contact.id,
      name: fullName(contact) || null,
      address: contact.phone_number ?? contact.identity,
      status,
      message_id: message?.id ?? null,
      at: message?.created_at ?? null,
      error: code && { code, text: textOfCode[code] },
    };
  });
}

/** The contacts that a broadcast names, by id or list, in the order in which they were created. */
async function audienceOf(client: Client, broadcast: Broadcast): Promise<Contact[]> {
  const named = await inParallel(await namedIds(client, broadcast), atOnce, async (id) => await findContact(client, id));
  const listed = await inParallel(broadcast.list_ids, atOnce, async (list) => await client.all(listContacts, { query: { list_id: list } }));
  const all = new Map([...named, ...listed.flat()].flatMap((contact) => (contact ? [[contact.id, contact]] : [])));
  return [...all.values()].sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}

async function namedIds(client: Client, { id, contact_ids: ids }: Broadcast): Promise<readonly string[]> {
  return ids ?? (await client.all(listBroadcastContacts, { params: { id } }));
}

async function findContact(client: Client, id: string): Promise<Contact | null> {
  try {
    return (await client.call(getContact, { params: { id } })).contact;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return null;
    throw error;
  }
}

/** Why contacts got no message, by their ids, where the service has an error log. */
async function readCodes(client: Client, broadcastId: string): Promise<ReadonlyMap<string, BroadcastCode>> {
  try {
    const errors = await client.all(listErrors, { query: { source: 'broadcast', entity_id: broadcastId } });
    return new Map(errors.flatMap(({ contact_id: contact, code }) => (contact !== null && isKnown(code) ? [[contact, code]] : [])));
  } catch (error) {
    if (lacksEndpoint(error) || (error instanceof InterfaceError && error.status === 403)) return new Map();
    throw error;
  }
}

function isKnown(code: string): code is BroadcastCode {
  return (broadcastCodes as readonly string[]).includes(code);
}

/** Why a contact may have got no message, by what it is today. */
function likelyCode({ do_not_disturb: isMuted, private_mode: isPrivate }: Contact): BroadcastCode | null {
  return isMuted ? 'recipient_dnd' : isPrivate ? 'private_mode' : null;
}

/** The message of a broadcast to a contact: an automated one with its text or its template, on its channel. */
async function messageOf(client: Client, broadcast: Broadcast, contact: Contact) {
  const { body, template_id: template, channel, created_at: since } = broadcast;
  const input = { params: { contactId: contact.id }, query: { direction: 'outbound' } } as const;
  for await (const { rows } of client.pages(listMessages, input, messagesRead)) {
    const found = rows.find(
      (sent) =>
        sent.sender === 'automated' &&
        sent.channel === channel &&
        sent.created_at >= since &&
        (template === null ? sent.body === body : sent.template_id === template),
    );
    if (found) return found;
  }
  return undefined;
}

function statusOf(status: string): Recipient['status'] {
  return status === 'delivered' || status === 'read' || status === 'failed' ? status : 'sent';
}
