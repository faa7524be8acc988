import type { Service } from '../../http/handler.ts';
import { type Audience, existingLists, type Member, type Position, readPart } from './parts.ts';

/** Contacts of an audience. */
interface Members {
  readonly members: readonly Member[];
  /** Whether they are selected by id, and not only on a list. */
  readonly areNamed: boolean;
}

/** Reads the contacts of an audience, each once. Works in steps, so that other requests are served in between. */
export async function* membersInSteps({ store, scheduler }: Service, accountId: string, audience: Audience): AsyncGenerator<Members> {
  const list_ids = await store.read((db) => existingLists(db, accountId, audience.list_ids));
  const named = new Set<number>();
  let position: Position | undefined = { contacts_read: 0, last_seq: 0 };
  while (position) {
    const from: Position = position;
    const part: { members: Member[]; position: Position | undefined } = await scheduler.run(() =>
      store.read((db) => readPart(db, accountId, { ...audience, list_ids }, from, Number.MAX_SAFE_INTEGER)),
    );
    // Contacts selected by id are read first, and a part can have some of both.
    const names = audience.contact_ids.slice(from.contacts_read, part.position?.contacts_read);
    const ids = new Set(names);
    const fresh = part.members.filter(({ contact_seq: seq }) => !named.has(seq));
    const some = fresh.filter(({ contact_id: id }) => ids.has(id));
    yield { members: unique(some), areNamed: true };
    for (const { contact_seq: seq } of some) named.add(seq);
    yield { members: fresh.filter(({ contact_seq: seq }) => !named.has(seq)), areNamed: false };
    position = part.position;
  }
}

function unique(members: readonly Member[]): Member[] {
  return [...new Map(members.map((member) => [member.contact_seq, member])).values()];
}

/** Counts the contacts of an audience without duplicates. Works in steps, so that other requests are served in between. */
export async function countAudience(service: Service, accountId: string, audience: Audience): Promise<number> {
  let count = 0;
  for await (const { members } of membersInSteps(service, accountId, audience)) count += members.length;
  return count;
}
