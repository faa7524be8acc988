import { dayLength } from '../../../contract/time/days.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import { agents } from '../agents/table.ts';
import { contacts } from '../contacts/table.ts';
import { messages } from '../messages/table.ts';
import { chatSessions } from '../sessions/table.ts';
import { type ExportedSession, fileFormats } from './formats.ts';
import type { ChatExport, ExportPosition } from './table.ts';

/** The sessions and the messages that are read at once. A step holds no more of them. */
const sessionsAtOnce = 200;
const messagesAtOnce = 500;

/** The next part of a file, and how far the file then is. */
export interface FilePart {
  readonly text: string;
  readonly position: ExportPosition;
  /** How many sessions and messages it has. */
  readonly sessions: number;
  readonly messages: number;
}

type StoredSession = StoredRow<typeof chatSessions>;

interface After {
  readonly account: string;
  readonly startedAt: number;
  readonly session: number;
  readonly last: number;
  readonly limit: number;
}

const sessionsAfter = prepared<After, StoredSession>((db, $) =>
  db
    .selectFrom('chat_sessions')
    .selectAll()
    .where('account_id', '=', $.account)
    .where('started_at', '>=', $.startedAt)
    .where('started_at', '<=', $.last)
    .where((eb) => eb.or([eb('started_at', '>', $.startedAt), eb('seq', '>', $.session)]))
    .orderBy('started_at')
    .orderBy('seq')
    .limit($.limit),
);

const sessionAt = prepared<{ account: string; session: number }, StoredSession>((db, $) =>
  db.selectFrom('chat_sessions').selectAll().where('seq', '=', $.session).where('account_id', '=', $.account),
);

const messagesAfter = prepared<{ session: string; after: number; limit: number }, StoredRow<typeof messages>>((db, $) =>
  db.selectFrom('messages').selectAll().where('session_id', '=', $.session).where('seq', '>', $.after).orderBy('seq').limit($.limit),
);

/**
 * Makes the next part of the file of an export: about `length` characters, or what some hundred sessions have. The same position gives
 * the same part, so that a crash changes no file.
 */
export async function nextPart(db: Db, row: ChatExport, length: number): Promise<FilePart> {
  const format = fileFormats[row.format];
  const first = parseInstant(row.from_day) as number;
  const last = (parseInstant(row.to_day) as number) + dayLength - 1;
  const pieces: string[] = row.parts === 0 ? [format.head(row)] : [];
  let size = pieces[0]?.length ?? 0;
  let { position } = row;
  let sessions = 0;
  let count = 0;
  const add = (text: string) => {
    pieces.push(text);
    size += text.length;
  };
  const part = () => ({ text: pieces.join(''), position, sessions, messages: count });

  /** Writes the messages of a session. @returns false if the part is full before their end */
  const writeMessages = async (exported: ExportedSession): Promise<boolean> => {
    for (let after = position.message ?? 0; ;) {
      const rows = await messagesAfter(db, { session: exported.session.id, after, limit: messagesAtOnce });
      for (const stored of rows) {
        const message = messages.decode(stored);
        add(format.message(message, exported, after === 0));
        after = message.seq;
        count++;
      }
      position = { ...position, message: after };
      if (rows.length < messagesAtOnce) break;
      if (size >= length) return false;
    }
    endSession();
    return true;
  };
  const endSession = () => {
    add(format.sessionEnd);
    position = { ...position, message: null };
  };

  if (position.message !== null) {
    const stored = await sessionAt(db, { account: row.account_id, session: position.session });
    // A session that was begun is in the file whatever its filters say now. But its contact may have been deleted since the last part.
    const [exported] = await exportedOf(db, { ...row, agent_id: null, channel: null, contact_ids: null, tag_id: null }, stored);
    if (!exported) endSession();
    else if (!(await writeMessages(exported))) return part();
  }
  const from = { account: row.account_id, startedAt: Math.max(first, position.startedAt), session: position.session, last };
  const found = await sessionsAfter(db, { ...from, limit: sessionsAtOnce });
  const exported = new Map((await exportedOf(db, row, found)).map((each) => [each.session.id, each]));
  for (const { id, started_at: startedAt, seq } of found) {
    if (size >= length) return part();
    const each = exported.get(id);
    position = { ...position, startedAt, session: seq };
    if (!each) continue;
    add(format.sessionBegin(each, row.sessions + sessions === 0));
    sessions++;
    position = { ...position, message: 0 };
    if (!(await writeMessages(each))) return part();
  }
  if (found.length < sessionsAtOnce) {
    add(format.end);
    position = { ...position, isComplete: true };
  }
  return part();
}

/** The sessions that belong to an export, with their contacts, agents and tags. Those of deleted contacts do not. */
async function exportedOf(db: Db, row: ChatExport, stored: readonly StoredSession[]): Promise<ExportedSession[]> {
  const { agent_id: agentId, channel, contact_ids: only, tag_id: tagId } = row;
  const found = stored
    .map((each) => chatSessions.decode(each) as Row<typeof chatSessions>)
    .filter((each) => (agentId === null || each.agent_id === agentId) && (channel === null || each.channel === channel))
    .filter((each) => only === null || only.includes(each.contact_id));
  const people = await contacts.findMany(db, row.account_id, [...new Set(found.map((each) => each.contact_id))]);
  const agentIds = [...new Set(found.flatMap((each) => each.agent_id ?? []))];
  const answering = await agents.findMany(db, row.account_id, agentIds);
  const tags = await tagsOf(
    db,
    [...people.values()].map(({ seq }) => seq),
  );
  return found.flatMap((session): ExportedSession[] => {
    const contact = people.get(session.contact_id);
    const own = contact ? (tags.get(contact.seq) ?? []) : [];
    if (!contact || (tagId !== null && !own.some((tag) => tag.id === tagId))) return [];
    const name = [contact.first_name, contact.last_name].filter((each) => each !== null && each !== '').join(' ');
    const agent = session.agent_id === null ? undefined : answering.get(session.agent_id);
    return [
      {
        session,
        contact: { id: contact.id, name: name === '' ? null : name, phone_number: contact.phone_number, email: contact.email },
        agent: agent ? { id: agent.id, name: agent.name } : null,
        tags: own.map((tag) => tag.name),
      },
    ];
  });
}

interface TagOfContact {
  readonly contact: number;
  readonly id: string;
  readonly name: string;
}

/** The tags of contacts, by their `seq`. */
async function tagsOf(db: Db, seqs: readonly number[]): Promise<Map<number, TagOfContact[]>> {
  if (seqs.length === 0) return new Map();
  const rows = await db
    .selectFrom('contact_tags')
    .innerJoin('tags', 'tags.id', 'contact_tags.tag_id')
    .select(['contact_tags.contact_seq as contact', 'tags.id', 'tags.name'])
    .where('contact_tags.contact_seq', 'in', seqs)
    .orderBy('tags.name')
    .execute();
  return Map.groupBy(rows, ({ contact }) => contact);
}
