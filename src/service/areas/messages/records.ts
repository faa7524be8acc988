import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import type { MediaLinks } from './media-links.ts';
import { type Message, messages } from './table.ts';

// Joins the contact, because messages of a deleted contact may still be stored.
const oneMessage = prepared<{ account: string; id: string }, StoredRow<typeof messages>>((db, $) =>
  db
    .selectFrom('messages')
    .innerJoin('contacts', 'contacts.id', 'messages.contact_id')
    .selectAll('messages')
    .where('contacts.account_id', '=', $.account)
    .where('messages.id', '=', $.id),
);

/** Reads a message; undefined when the account has no such message. */
export async function findMessage(db: Db, accountId: string, id: string): Promise<Message | undefined> {
  const [message] = await oneMessage(db, { account: accountId, id });
  return message && messages.decode(message);
}

/** A message as answers, streams and events show it. @param now by the service's clock, from which on the address of its file works */
export function messageRecord(message: Message, links: MediaLinks, now: number) {
  const { media } = message;
  const file = media && { name: media.name, mime_type: media.mime_type, url: links.url(media.id, now) };
  return { ...messages.show(message), media: file };
}

/** @throws ApiError 404 when the account has no such message */
export async function requireMessage(db: Db, accountId: string, id: string): Promise<Message> {
  const message = await findMessage(db, accountId, id);
  if (!message) throw notFound('message');
  return message;
}
