import { findAccount } from '../../identity/accounts.ts';
import { notFound } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { withJournal } from '../activity/journal.ts';
import { splitName } from '../contacts/person-name.ts';
import { type Incoming, matchRulesFor, receive } from '../inbound/receive.ts';
import { laterTurn, turnOf } from '../inbound/turn.ts';
import { requireMessage } from '../messages/records.ts';
import type { Message } from '../messages/table.ts';
import { notes } from '../notes/table.ts';
import { findByPublicId } from '../widgets/records.ts';
import type { Widget } from '../widgets/table.ts';
import { storeUse } from './tokens.ts';
import { type Visitor, visitorMessages, visitors } from './table.ts';

/** What a visitor writes. */
interface Written {
  readonly text: string;
  readonly client_id?: string | undefined;
}

/**
 * Stores a message of a visitor, who becomes a contact with the first one. A job makes the reply (rules widgets.9 and widgets.12). A
 * message with a known `client_id` is the one that was stored.
 */
export async function write(service: Service, widget: Widget, visitor: Visitor, written: Written, now: number): Promise<Message> {
  const { store, ruleBooks } = service;
  const incoming: Incoming = {
    channel: 'chat_widget',
    from: { identity: `visitor:${visitor.id.replace(/^vis_/, '')}` },
    to: { identity: widget.id },
    text: written.text,
    person: { ...splitName(visitor.name), email: visitor.email },
  };
  const matched = await matchRulesFor(service, ruleBooks, widget.account_id, incoming);
  return await store.write(
    async (db) => {
      const account = await findAccount(db, widget.account_id);
      // The contact may have been deleted meanwhile, and the visitor with it.
      const known = await visitors.find(db, widget.account_id, visitor.id);
      if (!account || !known || !(await findByPublicId(db, widget.public_id))) throw notFound('widget');
      const before = await findWritten(db, known.id, written.client_id);
      if (before !== undefined) return await requireMessage(db, account.id, before);
      await storeUse(db, known, now);
      return await withJournal(db, account, now, async (journal) => {
        const received = await receive(db, journal, incoming, ruleBooks, matched);
        const { message } = received;
        if (!message) throw new Error('A visitor writes a text');
        if (known.contact_id === null) await join(db, known, received.contact.id, now);
        if (written.client_id !== undefined) await keep(db, known, written.client_id, message.id);
        const turn = turnOf(received);
        const payload = turn && { ...laterTurn(turn), widgetId: widget.id, visitorId: known.id };
        if (payload) await enqueue(db, { kind: 'widget_reply', accountId: account.id, payload, dueAt: now });
        return message;
      });
    },
    { accounts: [widget.account_id] },
  );
}

/** Makes a visitor the contact that was created, whose phone number becomes a note. */
async function join(db: Db, visitor: Visitor, contactId: string, now: number): Promise<void> {
  await visitors.setColumns(db, visitor, { contact_id: contactId });
  if (visitor.phone === null) return;
  const note = { entity_type: 'contact', entity_id: contactId, text: `Phone number: ${visitor.phone}`, author: null } as const;
  await notes.create(db, visitor.account_id, note, now);
}

async function findWritten(db: Db, visitorId: string, clientId: string | undefined): Promise<string | undefined> {
  if (clientId === undefined) return undefined;
  const row = await db
    .selectFrom('visitor_messages')
    .select('message_id')
    .where('visitor_id', '=', visitorId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row?.message_id;
}

async function keep(db: Db, { account_id, id }: Visitor, clientId: string, messageId: string): Promise<void> {
  await insertMany(db, visitorMessages, [{ account_id, visitor_id: id, client_id: clientId, message_id: messageId }]);
}
