import type { Service } from '../../http/handler.ts';
import { type Audience, existingLists, type Member, type Position, readPart } from './parts.ts';

/** Counts the contacts of an audience without duplicates. Works in steps, so that other requests are served in between. */
export async function countAudience({ store, scheduler }: Service, accountId: string, audience: Audience): Promise<number> {
  const list_ids = await store.read((db) => existingLists(db, accountId, audience.list_ids));
  const named = new Set<number>();
  let listed = 0;
  let position: Position | undefined = { contacts_read: 0, last_seq: 0 };
  while (position) {
    const from: Position = position;
    const part: { members: Member[]; position: Position | undefined } = await scheduler.run(() =>
      store.read((db) => readPart(db, accountId, { ...audience, list_ids }, from, Number.MAX_SAFE_INTEGER)),
    );
    // Contacts selected by id are read first.
    const isNamed = from.contacts_read < audience.contact_ids.length;
    for (const { contact_seq: seq } of part.members) {
      if (isNamed) named.add(seq);
      else if (!named.has(seq)) listed++;
    }
    position = part.position;
  }
  return named.size + listed;
}
