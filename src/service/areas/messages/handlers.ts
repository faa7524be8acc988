import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { type Address, identityKeys } from '../../../contract/areas/contacts/address.ts';
import type { searchMessages } from '../../../contract/areas/messages/endpoints.ts';
import type { Query } from '../../../contract/endpoint.ts';
import { ApiError, notFound } from '../../errors.ts';
import { type AreaHandlers, batchedHandler } from '../../http/handler.ts';
import { readPeriod } from '../../http/period.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { newest } from '../../store/newest.ts';
import { requireRecord } from '../../store/require-record.ts';
import { type Journal, readForJournals, withJournals } from '../activity/journal.ts';
import { readAddress } from '../contacts/address.ts';
import { findContactsByKeys, firstOf, newContact } from '../contacts/records.ts';
import { type Contact, contacts } from '../contacts/table.ts';
import { agents } from '../agents/table.ts';
import { requireSession } from '../sessions/records.ts';
import { messageRecord, requireMessage } from './records.ts';
import { findMessages, type MessageFilters } from './search.ts';
import { type Outgoing, readForSends, sendMessages } from './send.ts';
import { messageStream } from './stream.ts';
import { messages } from './table.ts';

/** The recipient of a message: the id of a contact, or an address. */
type Recipient = { readonly id: string } | Addressed;

interface Addressed {
  readonly channel: ChannelName;
  readonly address: Address;
}

export const messageHandlers: Omit<AreaHandlers<'messages'>, 'messages.trace'> = {
  'messages.stream': { streams: messageStream },

  'messages.search': async ({ db, account, query, page, service, now }) => {
    const filters = await readFilters(db, account.id, query);
    const { rows, next_cursor } = await page.part((before, limit) => findMessages(db, account.id, filters, before, limit));
    return { messages: rows.map((row) => messageRecord(row, service.mediaLinks, now)), next_cursor };
  },

  'messages.get': async ({ db, account, params, service, now }) => ({
    message: messageRecord(await requireMessage(db, account.id, params.id), service.mediaLinks, now),
  }),

  'messages.send': batchedHandler(
    async ({ account, body }): Promise<Recipient> => {
      const { contact_id: id, channel } = body;
      // The contract requires an id or a channel.
      return id === undefined
        ? { channel: channel as ChannelName, address: await readAddress(body, undefined, account.defaultCountry) }
        : { id };
    },
    async (db, requests) => {
      const now = Math.max(...requests.map((request) => request.now));
      // Requests of the same account can have different copies of its settings, if they changed while requests waited. The copy
      // of the latest request is used.
      const accounts = new Map(requests.map(({ account }) => [account.id, account]));
      const ids = [...accounts.keys()];
      const [forJournals, forSends, recipients] = await Promise.all([
        readForJournals(db, ids),
        readForSends(db, ids, now),
        findRecipients(db, requests, now),
      ]);
      const send = async (journals: readonly Journal[]) => {
        const outgoing = requests.flatMap(({ account, body }, index): Outgoing[] => {
          const recipient = recipients[index];
          const journal = journals.find((each) => each.account.id === account.id);
          if (!recipient || !journal) return [];
          const channel = body.channel ?? recipient.contact.channel;
          return [{ journal, ...recipient, channel, body: body.body, sender: 'automated', agentId: null, broadcastId: null }];
        });
        const outcomes = (await sendMessages(db, outgoing, forSends)).values();
        return recipients.map((recipient) => {
          if (!recipient) return notFound('contact');
          const outcome = outcomes.next().value as Awaited<ReturnType<typeof sendMessages>>[number];
          if (outcome instanceof ApiError) return outcome;
          return { message_id: outcome.id, contact_id: outcome.contact_id, channel: outcome.channel };
        });
      };
      return await withJournals(db, [...accounts.values()], now, send, forJournals);
    },
  ),

  'messages.list': async ({ db, account, params, query, page, service, now }) => {
    const { id } = await contacts.require(db, account.id, params.contactId);
    const where = { contact_id: id, type: query.filter, direction: query.direction };
    const { rows, next_cursor } = await page((before, limit) => newest(db, messages, where, before, limit));
    return { messages: rows.map((row) => messageRecord(row, service.mediaLinks, now)), next_cursor };
  },
};

/** Reads the filters of a list. @throws ApiError 404 when one names a record that the account does not have */
async function readFilters(db: Db, accountId: string, query: Query<typeof searchMessages>): Promise<MessageFilters> {
  const { contact_id: contactId, session_id: sessionId, agent_id: agentId, campaign_id: campaignId, broadcast_id: broadcastId } = query;
  const { from, to, limit: _, cursor: __, ...filters } = query;
  const period = readPeriod({ from, to });
  const session = sessionId === undefined ? undefined : await requireSession(db, accountId, sessionId);
  if (contactId !== undefined) await contacts.require(db, accountId, contactId);
  if (agentId !== undefined) await agents.require(db, accountId, agentId);
  if (campaignId !== undefined) await requireRecord(db, 'campaigns', 'campaign', accountId, campaignId);
  if (broadcastId !== undefined) await requireRecord(db, 'broadcasts', 'broadcast', accountId, broadcastId);
  return { ...filters, contact_id: contactId ?? session?.contact_id, ...period };
}

interface FoundRecipient {
  readonly contact: Contact;
  readonly isNewContact: boolean;
}

/** Finds the recipients of requests, in order: undefined for an unknown id, a new contact for a new address. */
async function findRecipients(
  db: Db,
  requests: readonly { readonly account: Account; readonly prepared: Recipient }[],
  now: number,
): Promise<(FoundRecipient | undefined)[]> {
  const keysOf = (accountId: string, { channel, address }: Addressed) =>
    identityKeys(channel, address).map((key) => [accountId, key] as const);
  const ids = requests.flatMap(({ prepared }) => ('id' in prepared ? [prepared.id] : []));
  const keys = requests.flatMap(({ account, prepared }) => ('id' in prepared ? [] : keysOf(account.id, prepared)));
  const [byId, withKey] = await Promise.all([contacts.findAnywhere(db, ids), findContactsByKeys(db, keys)]);
  const known = new Map<string, FoundRecipient>();
  for (const contact of withKey) known.set(`${contact.account_id} ${contact.identity_key}`, { contact, isNewContact: false });
  return requests.map(({ account, prepared }) => {
    if ('id' in prepared) {
      const contact = byId.get(prepared.id);
      return contact?.account_id === account.id ? { contact, isNewContact: false } : undefined;
    }
    const keys = keysOf(account.id, prepared).map((key) => key.join(' '));
    const recipient = firstOf(known, keys) ?? {
      contact: newContact(account.id, prepared.channel, prepared.address, {}, now),
      isNewContact: true,
    };
    // Two requests to the same new number create one contact.
    if (recipient.isNewContact) known.set(`${account.id} ${recipient.contact.identity_key}`, recipient);
    return recipient;
  });
}
