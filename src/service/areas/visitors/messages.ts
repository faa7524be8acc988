import { iso } from '../../../contract/time/instants.ts';
import type { Db } from '../../store/database.ts';
import { newest } from '../../store/newest.ts';
import type { Row } from '../../store/table.ts';
import { messageRecord } from '../messages/records.ts';
import type { MediaLinks } from '../messages/media-links.ts';
import { type Message, messages } from '../messages/table.ts';

/** A message as its visitor sees it. Calls of tools, routing and agents do not show (rule widgets.13). */
export function visitorMessageRecord(message: Message, links: MediaLinks, now: number) {
  const { id, sender, body, created_at: at } = message;
  const from = sender === 'contact' ? 'visitor' : sender === 'ai' ? 'agent' : 'team';
  return { id, from, text: body, media: messageRecord(message, links, now).media, at: iso(at) } as const;
}

/** Reads the messages of a visitor's conversation, newest first, below a `seq`. */
export async function listMessages(db: Db, contactId: string, before: number | undefined, limit: number): Promise<Row<typeof messages>[]> {
  const found: Row<typeof messages>[] = [];
  let last = before;
  do {
    const rows = await newest(db, messages, { contact_id: contactId }, last, limit);
    found.push(...rows.filter(isShown));
    last = rows.length < limit ? undefined : rows.at(-1)?.seq;
  } while (last !== undefined && found.length < limit);
  return found.slice(0, limit);
}

/** Whether visitors see a message. */
export function isShown({ type }: Pick<Message, 'type'>): boolean {
  return type !== 'tool_use';
}
