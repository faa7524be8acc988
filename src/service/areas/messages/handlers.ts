import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { withJournal } from '../activity/journal.ts';
import { readAddress } from '../contacts/address.ts';
import { type Contact, findContacts, findContactsByKey, newContact, requireContact } from '../contacts/records.ts';
import { type Address, identityKey } from '../contacts/rules.ts';
import { type AreaHandlers, batched } from '../../http/context.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/store.ts';
import { listMessages, messageRecord } from './records.ts';
import { type Outgoing, sendMessages } from './send.ts';

/** Whom a send is for: a contact by its id, or what it is reached by. */
type Recipient = { readonly id: string } | { readonly channel: ChannelName; readonly address: Address };

export const messageHandlers: AreaHandlers<'messages'> = {
  'messages.send': batched(
    async ({ body }): Promise<Recipient> => {
      const { contact_id: id, channel } = body;
      // The shape has one of them.
      return id === undefined ? { channel: channel as ChannelName, address: await readAddress(body) } : { id };
    },
    async (db, contexts) => {
      // That of the latest: its settings may have changed while the others waited.
      const { account } = contexts.at(-1) as (typeof contexts)[number];
      const now = Math.max(...contexts.map((context) => context.now));
      const contacts = await contactsOf(
        db,
        account.id,
        now,
        contexts.map(({ prepared }) => prepared),
      );
      return await withJournal(db, account, now, async (journal) => {
        const outgoing = contexts.flatMap(({ body }, index): Outgoing[] => {
          const found = contacts[index];
          if (!found) return [];
          const { contact, isNew: isNewContact } = found;
          const channel = body.channel ?? (contact.channel as ChannelName);
          return [{ contact, isNewContact, channel, body: body.body, sender: 'automated', agentId: null, broadcastId: null }];
        });
        const outcomes = await sendMessages(db, journal, outgoing);
        let next = 0;
        return contacts.map((found) => {
          if (!found) return notFound('Contact');
          const outcome = outcomes[next++] as (typeof outcomes)[number];
          if (outcome instanceof ApiError) return outcome;
          return { message_id: outcome.id, contact_id: outcome.contact_id, channel: outcome.channel as ChannelName };
        });
      });
    },
  ),

  'messages.list': async ({ db, account, params, query, page }) => {
    const { id } = await requireContact(db, account.id, params.contactId);
    const { rows, next_cursor } = await page((before, take) => listMessages(db, id, query, before, take));
    return { messages: rows.map(messageRecord), next_cursor };
  },
};

/** The contacts of recipients in their order: null for an unknown id, a new one for what has no contact yet. */
async function contactsOf(
  db: Db,
  accountId: string,
  now: number,
  recipients: readonly Recipient[],
): Promise<({ contact: Contact; isNew: boolean } | null)[]> {
  const ids = recipients.flatMap((recipient) => ('id' in recipient ? [recipient.id] : []));
  const keys = recipients.flatMap((recipient) => ('id' in recipient ? [] : [identityKey(recipient.channel, recipient.address)]));
  const byId = await findContacts(db, accountId, ids);
  const byKey = await findContactsByKey(db, accountId, keys);
  const made = new Map<string, Contact>();
  return recipients.map((recipient) => {
    if ('id' in recipient) {
      const contact = byId.get(recipient.id);
      return contact ? { contact, isNew: false } : null;
    }
    const key = identityKey(recipient.channel, recipient.address);
    const known = byKey.get(key);
    if (known) return { contact: known, isNew: false };
    // Two requests for the same new number make one contact.
    const contact = made.get(key) ?? newContact(accountId, recipient.channel, recipient.address, {}, now);
    made.set(key, contact);
    return { contact, isNew: true };
  });
}
